# SPDX-License-Identifier: BSD-3-Clause
"""Procedures of Fortran that have no counterpart in C, or that are no functions of MPI but callbacks which it provides:
their C++, in the same form for every ABI."""

import re
from dataclasses import dataclass

NOTICE = ("// SPDX-License-Identifier: BSD-3-Clause\n"
          "// Written by bindings/bindgen.py: do not edit. Callbacks that MPI provides, and procedures of Fortran alone.\n")

OPENING = """
#include <cstring>

#include "fortran_abi.hpp"
#include "procedures/arguments.hpp"
#include "procedures/callbacks.hpp"
#include "procedures/descriptor.hpp"

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
  const bool ignored = from == sentinel::status_ignore() || from == sentinel::statuses_ignore();
  if (!ignored) std::memcpy(to, from, status_integers * sizeof *to);
  finish(ierror, ignored ? MPI_ERR_ARG : MPI_SUCCESS);""")
    yield Extra("MPI_F_sync_reg", "void*", "")
    for bytes_ in (1, 2, 4, 8, 10, 16, 20, 32):
        yield Extra(f"MPI_Sizeof_{bytes_}", "const void*, int* size, MPI_Fint* ierror",
                    f"  *size = {bytes_};\n  finish(ierror, MPI_SUCCESS);")


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
        names = _names(abi, extra)
        if not names:
            continue
        texts.append(_procedure(extra, names))
        if extra.predefined:
            table.append(f"    {{reinterpret_cast<Procedure*>({names[0]}), Predefined::{extra.predefined}}},\n")
    if abi.descriptor_name is not None:
        texts += _with_descriptors(abi)
    return "".join([NOTICE, OPENING, *texts, "#pragma GCC visibility pop\n}  // extern \"C\"\n", _recognition(table)])


def _names(abi, extra):
    """The linker names, the profiling names first."""
    def under(name):
        return [*abi.names(name), *(abi.f08_names(name) if extra.f08 else ())]
    return (under("P" + extra.name) if extra.profiled else []) + under(extra.name)


def _procedure(extra, names):
    first, *others = names
    aliases = "".join(f'decltype({first}) {name} __attribute__((weak, alias("{first}")));\n' for name in others)
    return f"\nvoid {first}({extra.parameters}) noexcept {{\n{extra.statements}\n}}\n{aliases}"


def _with_descriptors(abi):
    sizeof = Extra("", "const Descriptor* x, int* size, MPI_Fint* ierror",
                   "  *size = static_cast<int>(x->element_bytes);\n  finish(ierror, MPI_SUCCESS);")
    sync = Extra("", "const Descriptor*", "")
    for name, extra in (("MPI_Sizeof", sizeof), ("MPI_F_sync_reg", sync)):
        yield _procedure(extra, [abi.descriptor_name("P" + name), abi.descriptor_name(name)])


def _recognition(table):
    return ("\nnamespace bowline::fortran {\n\nPredefined predefined(Procedure* procedure) noexcept {\n"
            "  struct Row {\n    Procedure* procedure;\n    Predefined meaning;\n  };\n"
            "  static const Row rows[] = {\n" + "".join("  " + row for row in table) + "  };\n"
            "  for (const Row& row : rows) {\n    if (row.procedure == procedure) return row.meaning;\n  }\n"
            "  return Predefined::none;\n}\n\n}  // namespace bowline::fortran\n")
