# SPDX-License-Identifier: BSD-3-Clause
"""Writes include/mpi.h."""

import textwrap

from . import chapters, exchange
from .model import Declaration

COLUMNS = 120

OPENING = """\
/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI-{standard} for C, with the standard ABI. Written by bindings/bindgen.py from bindings/api.json: do not edit. */
/* clang-format off */
#ifndef MPI_H_ABI
#define MPI_H_ABI

#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif
"""

CLOSING = """
#ifdef __cplusplus
}
#endif

#endif /* MPI_H_ABI */
"""

INTEGER_TYPES = """\
#define MPI_ABI_Aint intptr_t
#define MPI_ABI_Offset int64_t
#define MPI_ABI_Count MPI_ABI_Offset
#define MPI_ABI_Fint int

typedef MPI_ABI_Aint MPI_Aint;     /* an address, or a difference of two */
typedef MPI_ABI_Offset MPI_Offset; /* a place in a file */
typedef MPI_ABI_Count MPI_Count;   /* a number of elements or bytes; at least as wide as the two above */
typedef MPI_ABI_Fint MPI_Fint;     /* Fortran's default INTEGER */
"""

# Constants that are the values of an enumeration type, by the prefix of their names.
ENUMERATIONS = {"MPI_T_cb_safety": "MPI_T_CB_REQUIRE_", "MPI_T_source_order": "MPI_T_SOURCE_"}

HANDLE_TITLES = {
    "MPI_Op": "Reduction operators", "MPI_Comm": "Communicators", "MPI_Group": "Groups", "MPI_Win": "Windows",
    "MPI_File": "Files", "MPI_Session": "Sessions", "MPI_Message": "Matched messages", "MPI_Info": "Info objects",
    "MPI_Errhandler": "Error handlers", "MPI_Request": "Requests", "MPI_Datatype": "Datatypes",
}


def text(api):
    parts = [OPENING.format(standard=api.standard)]
    parts += [_section("Types"), INTEGER_TYPES, _status(api), _handles(api), *_enumerations(api)]
    parts += [_section("Callback functions"), _lines(_wrapped(c) for c in api.callbacks)]
    parts += _constants(api)
    parts += _prototypes(api, "MPI_")
    parts += [_section("The same functions under their profiling names")]
    parts += _prototypes(api, "PMPI_")
    parts += exchange.lines(api)
    return "\n".join(parts) + CLOSING


def _section(title):
    return f"/* {title} */\n"


def _lines(lines):
    return "".join(line + "\n" for line in lines)


def _status(api):
    members = []
    for name, type_ in api.status.items():
        base, bracket, length = type_.partition("[")
        members.append(f"  {base} {name}{bracket}{length};")
    return "typedef struct MPI_Status {\n" + _lines(members) + "} MPI_Status;\n"


def _handles(api):
    return _lines(f"typedef struct {h['tag']} *{h['type']};" for h in api.handles)


def _enumerations(api):
    for type_, prefix in ENUMERATIONS.items():
        values = [f"  {c.name} = {c.value}" for c in api.constants if c.name.startswith(prefix)]
        yield f"typedef enum {type_} {{\n" + ",\n".join(values) + f"\n}} {type_};\n"


def _constants(api):
    enumerated = tuple(ENUMERATIONS.values())
    aliases = {c.alias: c.name for c in api.constants if c.alias and not c.name.startswith("MPI_ABI_")}
    sections = {}
    for c in api.constants:
        if c.alias or c.name.startswith(enumerated):
            continue
        sections.setdefault(_constant_title(c), []).append(define(c))
        if c.name in aliases:
            sections[_constant_title(c)].append(f"#define {aliases[c.name]} {c.name}")
    for title, lines in sections.items():
        yield _section(title) + "\n" + _lines(lines)


def _constant_title(constant):
    if constant.type == "int":
        return chapters.constant_section(constant.name)
    if constant.type in HANDLE_TITLES:
        return HANDLE_TITLES[constant.type]
    return "Tool interface" if constant.type.startswith("MPI_T_") else "Special pointers, callbacks and offsets"


def define(constant):
    """Plain integers stay free of casts, so that the preprocessor can compare them."""
    value = constant.value
    if constant.type == "int":
        return f"#define {constant.name} {value if value >= 0 else f'({value})'}"
    if constant.type in HANDLE_TITLES:
        return f"#define {constant.name} (({constant.type})0x{value:08x})"
    type_ = constant.type.replace("*", " *", 1)
    return f"#define {constant.name} (({type_}){value})"


def _prototypes(api, prefix):
    functions = {}
    for f in sorted(api.functions, key=lambda f: f.name.lower()):
        functions.setdefault(chapters.function_chapter(f.name), []).append(f)
    for title in chapters.CHAPTER_ORDER:
        yield _section(title) + "\n" + _lines(
            prototype(f, large, prefix) for f in functions[title] for large in f.forms())


def prototype(function, large, prefix="MPI_"):
    name = prefix.removesuffix("MPI_") + function.entry_name(large)
    declared = (_declared(p, large) for p in function.parameters)
    parameters = ", ".join(d.text() for d in declared if d is not None) or "void"
    gap = "" if function.returns.endswith("*") else " "
    note = f" /* deprecated since {function.deprecated} */" if function.deprecated else ""
    return _wrapped(f"{function.returns}{gap}{name}({parameters});{note}")


def _declared(parameter, large):
    """Weights are pointers, not arrays: MPI_UNWEIGHTED is a small number, and GCC warns of such an array."""
    declaration = parameter.declaration(large)
    if parameter.kind != "WEIGHT":
        return declaration
    return Declaration(f"{declaration.type} *", declaration.name, "")


def _wrapped(declaration):
    return "\n".join(textwrap.wrap(declaration, COLUMNS, subsequent_indent="    ", break_on_hyphens=False))
