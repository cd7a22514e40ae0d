# SPDX-License-Identifier: BSD-3-Clause
"""Writes the external procedures that Fortran calls, in C++: each converts its arguments and calls the C function that
tools.py says."""

import dataclasses

from . import conversions, descriptors, predefined, tools

NOTICE = "// SPDX-License-Identifier: BSD-3-Clause\n// Written by bindings/bindgen.py: do not edit. {purpose}\n"

OPENING = """
#include "fortran_abi.hpp"
#include "procedures/arguments.hpp"
#include "procedures/arrays.hpp"
#include "procedures/sections.hpp"
#include "procedures/texts.hpp"
#include "written.hpp"

using namespace bowline::fortran;

extern "C" {
#pragma GCC visibility push(default)
"""

CLOSING = """
#pragma GCC visibility pop
}  // extern "C"
"""

WRITTEN_OPENING = """#pragma once

#include "fortran_abi.hpp"
#include "procedures/procedure.hpp"

/// The hand-written procedures. Each returns an error code.
namespace bowline::fortran::written {

"""

HANDLE_INTEGERS_OPENING = """#pragma once

#include <mpi.h>

namespace bowline::fortran {

"""

HANDLE_INTEGERS = """inline {handle} converted(MPI_Fint number, {handle}) {{
  return P{stem}_fromint(number);
}}
inline MPI_Fint converted({handle} handle) {{
  return P{stem}_toint(handle);
}}
"""


def files(api, abi, parts):
    """The C++ files of the library, by name."""
    functions = [f for f in api.under_all_names() if conversions.is_fortran(f) and abi.has(f)]
    functions += [dataclasses.replace(f, name=name, also=()) for f in functions for name in abi.synonyms_of(f.name)]
    result = {"written.hpp": _written(functions), "handle_integers.hpp": _handle_integers(api),
              "predefined.cpp": predefined.file(abi)}
    for part in range(parts):
        texts = [text for f in functions[part::parts] for text in procedures_of(f, abi)]
        opening = NOTICE.format(purpose="The external procedures of MPI for Fortran.") + OPENING
        result[f"procedures_{part + 1}.cpp"] = "".join([opening, *texts, CLOSING])
    return result


def _handle_integers(api):
    """For ABIs in which handles are addresses."""
    conversions = "".join(HANDLE_INTEGERS.format(handle=f.returns, stem=f.name.removesuffix("_fromint"))
                          for f in api.functions if f.name.endswith("_fromint"))
    return (NOTICE.format(purpose="The INTEGERs of handles.") + HANDLE_INTEGERS_OPENING + conversions
            + "\n}  // namespace bowline::fortran\n")


def procedures_of(function, abi):
    """All procedures that a function has in Fortran."""
    f08 = conversions.is_f08(function)
    if f08 and differs_in_f08(function):
        yield text(function, abi.names, False, False)
        yield text(function, abi.f08_names, False, True)
    else:
        def all_names(name):
            # The module mpi has functions that return an address twice: as a number and as a TYPE(C_PTR).
            pointers = abi.names(name + "_cptr") if returns_address(function) else ()
            return abi.names(name) + pointers + (abi.f08_names(name) if f08 else ())
        yield text(function, all_names, False, False)
    forms = (False, True) if function.has_large and abi.large_counts else (False,)
    if True in forms:
        yield text(function, abi.f08_names, True, True)
    if abi.descriptor_name is not None and f08 and descriptors.has_buffers(function):
        for large in forms:
            yield described_text(function, abi, large)


def returns_address(function):
    return any(p.kind == "C_BUFFER" for p in function.parameters)


def differs_in_f08(function):
    """Whether a parameter that is an address in mpi_f08 means something else in the other interfaces."""
    return any(p.kind == "C_BUFFER2" for p in function.parameters)


def text(function, names, large, f08):
    """One procedure under its linker names: those with P and the others have a definition each, unless both do the
    same."""
    declared = [conversions.declaration(p, large) for p in conversions.parameters(function, large)]
    if conversions.has_ierror(function):
        declared.append("MPI_Fint* ierror")
    declared += conversions.string_lengths(function, large)
    return "".join(_definition(form, _returns(function), symbols, declared, _statements(function, form, large, f08))
                   for form, symbols in _definitions(function, names, large))


def _definitions(function, names, large):
    """(form of the procedures, their linker names) for each definition."""
    named = {form: [*names(form + function.entry_name(large))] for form in tools.FORMS}
    if not tools.is_seen(function):
        named = {tools.PROFILING: [symbol for symbols in named.values() for symbol in symbols]}
    return [(form, symbols) for form, symbols in named.items() if symbols]


def described_text(function, abi, large):
    """One procedure that gets descriptors of its choice buffers."""
    strings = abi.describes_strings
    before = ""
    if not descriptors.takes_address(function):
        before = "\n".join(["", *descriptors.sections_procedure(function, large, True, strings), ""])
    declared, behind = descriptors.declarations(function, large, strings)
    return before + "".join(
        _definition(form, "void", symbols, [*declared, "MPI_Fint* ierror", *behind],
                    descriptors.statements(function, form, large, True, strings))
        for form, symbols in _definitions(function, lambda name: (abi.descriptor_name(name),), large))


def _definition(form, returns, symbols, parameters, statements):
    """The text: the first symbol gets the definition, and the others are aliases. A tool's name comes before a weak
    one."""
    first, *others = symbols
    weak = "" if form == tools.PROFILING else "[[gnu::weak]] "
    body = "".join(f"  {line}\n" for line in statements)
    aliases = "".join(f'decltype({first}) {name} __attribute__((weak, alias("{first}")));\n' for name in others)
    return f"\n{weak}{returns} {first}({', '.join(parameters)}) noexcept {{\n{body}}}\n{aliases}"


def _returns(function):
    return "void" if function.returns_code else function.returns


# Functions before which the library tells MPI about Fortran.
STARTS = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init"}


def _statements(function, form, large, f08):
    if function.name in STARTS:
        yield "starting();"
    if not conversions.has_ierror(function):
        statement = "return " if not function.returns_code else ""
        callee = tools.callee(form, function.entry_name(large))
        yield f"{statement}{callee}({_arguments(function, large, f08)});"
    elif conversions.is_written(function):
        entry, written = function.entry_name(large), written_call(function, form, large)
        yield f'guarded(ierror, "{entry}", [&] {{ return {written}; }});'
    else:
        yield from tools.call(function, form, large, _arguments(function, large, f08))


def _arguments(function, large, f08):
    return ", ".join(conversions.expression(function, p, large, f08)
                     for p in function.parameters if p.declaration(large) is not None and p.kind != "VARARGS")


def written_call(function, form, large):
    callee = [tools.callee(form, function.entry_name(large))] if tools.is_seen(function) else []
    given = [p.name for p in conversions.parameters(function, large)]
    lengths = [length.split()[-1] for length in conversions.string_lengths(function, large)]
    return f"written::{written_name(function, large)}({', '.join([*callee, *given, *lengths])})"


def written_name(function, large):
    return function.body + ("_c" if large else "")


def _written(functions):
    """Their declarations: the first parameter is the C function to call, if there is one."""
    lines = []
    for f in functions:
        if conversions.is_written(f):
            for large in f.forms():
                declared = [tools.callee_parameter(f, large)] if tools.is_seen(f) else []
                declared += [conversions.declaration(p, large) for p in conversions.parameters(f, large)]
                declared += conversions.string_lengths(f, large)
                lines.append(f"int {written_name(f, large)}({', '.join(declared)});\n")
    notice = NOTICE.format(purpose="The procedures whose conversions are hand-written.")
    return notice + WRITTEN_OPENING + "".join(lines) + "\n}  // namespace bowline::fortran::written\n"
