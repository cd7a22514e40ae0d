# SPDX-License-Identifier: BSD-3-Clause
"""Writes the external procedures that Fortran calls, in C++: each converts its arguments and calls PMPI_X."""

from . import conversions, descriptors, predefined

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
    result = {"written.hpp": _written(functions), "handle_integers.hpp": _handle_integers(api),
              "predefined.cpp": predefined.file(abi)}
    for part in range(parts):
        texts = [text for f in functions[part::parts] for text in procedures_of(f, abi)]
        opening = NOTICE.format(purpose="The external procedures of MPI for Fortran.") + OPENING
        result[f"procedures_{part + 1}.cpp"] = "\n".join([opening, *texts]) + CLOSING
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
    """One procedure under its linker names."""
    entry = function.entry_name(large)
    symbols = [*names("P" + entry), *names(entry)]
    if not symbols:
        return ""
    declared = [conversions.declaration(p, large) for p in conversions.parameters(function, large)]
    if conversions.has_ierror(function):
        declared.append("MPI_Fint* ierror")
    declared += conversions.string_lengths(function, large)
    return "\n".join(["", *_definition(_returns(function), symbols, declared, _statements(function, large, f08))])


def described_text(function, abi, large):
    """One procedure that gets descriptors of its choice buffers."""
    entry, strings = function.entry_name(large), abi.describes_strings
    before = []
    if not descriptors.takes_address(function):
        before = ["", *descriptors.sections_procedure(function, large, True, strings)]
    declared, behind = descriptors.declarations(function, large, strings)
    symbols = [abi.descriptor_name("P" + entry), abi.descriptor_name(entry)]
    return "\n".join([*before, "", *_definition("void", symbols, [*declared, "MPI_Fint* ierror", *behind],
                                                descriptors.statements(function, large, True, strings))])


def _definition(returns, symbols, parameters, statements):
    first, *others = symbols
    yield f"{returns} {first}({', '.join(parameters)}) noexcept {{"
    yield from ("  " + line for line in statements)
    yield "}"
    # The name of a profiling tool comes before the library's.
    yield from (f'decltype({first}) {name} __attribute__((weak, alias("{first}")));' for name in others)


def _returns(function):
    return "void" if function.returns_code else function.returns


# Functions before which the library tells MPI about Fortran.
STARTS = {"MPI_Init", "MPI_Init_thread", "MPI_Session_init"}


def _statements(function, large, f08):
    if function.name in STARTS:
        yield "starting();"
    if not conversions.has_ierror(function):
        statement = "return " if not function.returns_code else ""
        yield f"{statement}P{function.entry_name(large)}({_arguments(function, large, f08)});"
    elif conversions.is_written(function):
        yield f"guarded(ierror, \"{function.entry_name(large)}\", [&] {{ return {written_call(function, large)}; }});"
    else:
        yield from call(function, large, _arguments(function, large, f08))


def call(function, large, arguments):
    """The call of the C function, whose result is the error code."""
    entry = function.entry_name(large)
    if conversions.allocates(function, large):
        yield f'guarded(ierror, "{entry}", [&] {{ return P{entry}({arguments}); }});'
    else:
        yield f"finish(ierror, P{entry}({arguments}));"


def _arguments(function, large, f08):
    return ", ".join(conversions.expression(function, p, large, f08)
                     for p in function.parameters if p.declaration(large) is not None and p.kind != "VARARGS")


def written_call(function, large):
    given = [p.name for p in conversions.parameters(function, large)]
    lengths = [length.split()[-1] for length in conversions.string_lengths(function, large)]
    return f"written::{written_name(function, large)}({', '.join(given + lengths)})"


def written_name(function, large):
    return function.body + ("_c" if large else "")


def _written(functions):
    lines = []
    for f in functions:
        if conversions.is_written(f):
            for large in f.forms():
                declared = [conversions.declaration(p, large) for p in conversions.parameters(f, large)]
                declared += conversions.string_lengths(f, large)
                lines.append(f"int {written_name(f, large)}({', '.join(declared)});\n")
    notice = NOTICE.format(purpose="The procedures whose conversions are hand-written.")
    return notice + WRITTEN_OPENING + "".join(lines) + "\n}  // namespace bowline::fortran::written\n"
