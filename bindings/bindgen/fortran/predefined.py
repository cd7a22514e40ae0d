# SPDX-License-Identifier: BSD-3-Clause
"""Procedures of Fortran that have no counterpart in C, or that are no functions of MPI but callbacks which it provides:
their C++, in the same form for every ABI."""

import re
from dataclasses import dataclass

from . import tools
from .conversions import HANDLES

HANDLE_TYPES = sorted(set(HANDLES.values()))

NOTICE = ("// SPDX-License-Identifier: BSD-3-Clause\n"
          "// Written by bindings/bindgen.py: do not edit. Callbacks of MPI, and procedures of Fortran alone.\n")

OPENING = """
#include <cstring>

#include "fortran_abi.hpp"
#include "procedures/arguments.hpp"
#include "procedures/callbacks.hpp"

using namespace bowline::fortran;

extern "C" {
#pragma GCC visibility push(default)
"""


@dataclass(frozen=True)
class Extra:
    """A procedure: its C++ parameters and statements."""

    name: str
    parameters: str
    statements: str
    f08: bool = True  # mpi_f08 has it under a name of its own
    profiled: bool = True  # it has a PMPI twin
    predefined: str = ""  # of a callback: how it is recognized
    calls: bool = False  # it calls a function that tools may define, and says so by the name with P


def extras(abi):
    for object_ in ("COMM", "TYPE", "WIN"):
        yield from _attribute_callbacks(f"MPI_{object_}", "MPI_Aint")
    yield from _attribute_callbacks("MPI", "MPI_Fint")
    for name, count in (("MPI_CONVERSION_FN_NULL", "int"), ("MPI_CONVERSION_FN_NULL_C", "MPI_Count")):
        yield _callback(name, "conversion_null",
                        f"char*, const MPI_Fint*, const {count}*, char*, const MPI_Offset*, const MPI_Aint*, "
                        "MPI_Fint* ierror", "*ierror = MPI_ERR_UNSUPPORTED_OPERATION;  // only its address is used")
    for name in ("MPI_Status_f2f08", "MPI_Status_f082f"):
        yield Extra(name, "const MPI_Fint* from, MPI_Fint* to, MPI_Fint* ierror", """\
  const bool ignored = sentinel::is_status_ignore(from) || sentinel::is_statuses_ignore(from);
  if (!ignored) std::memcpy(to, from, status_integers * sizeof *to);
  finish(ierror, ignored ? MPI_ERR_ARG : MPI_SUCCESS);""")
    yield Extra("MPI_F_sync_reg", "void*", "")
    for type_, kind, bytes_ in sizes():
        yield Extra(f"MPI_Sizeof_{type_}{kind}", "const void*, int* size, MPI_Fint* ierror",
                    f"  *size = {bytes_};\n  finish(ierror, MPI_SUCCESS);", f08=False)


def sizes():
    """(type, kind, bytes) of what MPI_Sizeof tells apart where a compiler passes no descriptors."""
    for type_, kinds in (("integer", (1, 2, 4, 8)), ("logical", (1, 2, 4, 8)), ("real", (4, 8)), ("complex", (4, 8))):
        for kind in kinds:
            yield type_, kind, 2 * kind if type_ == "complex" else kind


def _attribute_callbacks(prefix, number):
    state = f"const MPI_Fint*, const MPI_Fint*, const {number}*"
    yield _callback(f"{prefix}_NULL_COPY_FN", "null_copy",
                    f"{state}, const {number}*, {number}*, MPI_Fint* flag, MPI_Fint* ierror",
                    "  *flag = logical_value(false);\n  *ierror = MPI_SUCCESS;")
    yield _callback(f"{prefix}_DUP_FN", "dup",
                    f"{state}, const {number}* in, {number}* out, MPI_Fint* flag, MPI_Fint* ierror",
                    "  *out = *in;\n  *flag = logical_value(true);\n  *ierror = MPI_SUCCESS;")
    yield _callback(f"{prefix}_NULL_DELETE_FN", "null_delete", f"{state}, const {number}*, MPI_Fint* ierror",
                    "  *ierror = MPI_SUCCESS;")


def _callback(name, predefined, parameters, statements):
    return Extra(name, parameters, statements, f08=False, profiled=False, predefined=predefined)


def file(abi):
    """The C++ file."""
    texts, table = [], []
    for extra in extras(abi):
        names = linker_names(abi, extra)
        if not names:
            continue
        texts.append(procedure(extra, names))
        if extra.predefined:
            # A program may have an address of its own for each name.
            table += [f"    {{reinterpret_cast<Procedure*>({name}), Predefined::{extra.predefined}}},\n"
                      for name in names]
    if abi.descriptor_name is not None:
        texts += _with_descriptors(abi)
    if abi.own_modules:
        texts += _comparisons()
    return "".join([NOTICE, OPENING, *texts, "#pragma GCC visibility pop\n}  // extern \"C\"\n", _recognition(table)])


def linker_names(abi, extra):
    """The linker names, the profiling names first."""
    return [name for form in tools.FORMS for name in _names_of_form(abi, extra, form)]


def _names_of_form(abi, extra, form):
    if form == tools.PROFILING and not extra.profiled:
        return []
    name = form + extra.name
    return [*abi.names(name), *(abi.f08_names(name) if extra.f08 else ())]


def definitions(abi, extra):
    """The procedure under all its names: defined once, unless tools may see what it calls."""
    if not extra.calls:
        return procedure(extra, linker_names(abi, extra))
    return "".join(procedure(extra, _names_of_form(abi, extra, form), form) for form in tools.FORMS)


def procedure(extra, names, form=tools.PROFILING):
    first, *others = names
    weak = "" if form == tools.PROFILING else "[[gnu::weak]] "
    statements = re.sub(r"\bP(?=MPIX?_)", form, extra.statements)
    aliases = "".join(f'decltype({first}) {name} __attribute__((weak, alias("{first}")));\n' for name in others)
    return f"\n{weak}void {first}({extra.parameters}) noexcept {{\n{statements}\n}}\n{aliases}"


def _with_descriptors(abi):
    sizeof = Extra("", "const Descriptor* x, int* size, MPI_Fint* ierror",
                   "  *size = static_cast<int>(x->element_bytes);\n  finish(ierror, MPI_SUCCESS);")
    sync = Extra("", "const Descriptor*", "")
    for name, extra in (("MPI_Sizeof", sizeof), ("MPI_F_sync_reg", sync)):
        names = [abi.descriptor_name("P" + name), abi.descriptor_name(name)]
        if extra is sizeof:  # the module mpi has it too
            names += [name.replace("_f08ts", "_fts") for name in names]
        yield procedure(extra, names)


def _comparisons():
    """The operators == and /= of handles, one pair for all types."""
    for operator, name in (("==", "eq"), ("!=", "ne")):
        first, *others = [comparison_name(type_, name).lower() + "_" for type_ in HANDLE_TYPES]
        yield (f"\nMPI_Fint {first}(const MPI_Fint* a, const MPI_Fint* b) noexcept {{\n"
               f"  return logical_value(*a {operator} *b);\n}}\n")
        yield "".join(f'decltype({first}) {name} __attribute__((alias("{first}")));\n' for name in others)


def comparison_name(type_, operator):
    return f"{type_.replace('MPI_', 'MPI_ABI_')}_{operator}"


def _recognition(table):
    return ("\nnamespace bowline::fortran {\n\nPredefined predefined(Procedure* procedure) noexcept {\n"
            "  struct Row {\n    Procedure* procedure;\n    Predefined meaning;\n  };\n"
            "  static const Row rows[] = {\n" + "".join("  " + row for row in table) + "  };\n"
            "  for (const Row& row : rows) {\n    if (row.procedure == procedure) return row.meaning;\n  }\n"
            "  return Predefined::none;\n}\n\n}  // namespace bowline::fortran\n")
