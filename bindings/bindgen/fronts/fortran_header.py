# SPDX-License-Identifier: BSD-3-Clause
"""Writes the mpi.h of another MPI's ABI, as far as the procedures for Fortran need it: they are compiled with it in
place of the standard ABI's."""

import dataclasses

from .. import header
from ..fortran.conversions import HANDLES

OPENING = """// SPDX-License-Identifier: BSD-3-Clause
// Written by bindings/bindgen.py: do not edit. {name}'s ABI, for the procedures for Fortran.
#pragma once

#include <stdint.h>

#include "abi_types.hpp"

using MPI_Aint = intptr_t;
using MPI_Offset = int64_t;
using MPI_Count = int64_t;
using MPI_Fint = int;
using MPI_Status = abi::Status;
"""

ADDRESSES = """
#define MPI_BOTTOM static_cast<void*>(nullptr)
#define MPI_IN_PLACE abi::in_place
#define MPI_BUFFER_AUTOMATIC abi::buffer_automatic
#define MPI_STATUS_IGNORE abi::status_ignore
#define MPI_STATUSES_IGNORE abi::status_ignore
#define MPI_ERRCODES_IGNORE static_cast<int*>(nullptr)
#define MPI_ARGV_NULL static_cast<char**>(nullptr)
#define MPI_ARGVS_NULL static_cast<char***>(nullptr)
#define MPI_UNWEIGHTED abi::unweighted
#define MPI_WEIGHTS_EMPTY abi::weights_empty
"""


def text(api, abi):
    types = {c.name: c.type for c in api.constants}
    parts = [OPENING.format(name=abi.name)]
    parts += [f"using {type_} = abi::{type_.removeprefix('MPI_')};\n" for type_ in sorted(set(HANDLES.values()))]
    parts += ['\nextern "C" {\n', *(c + "\n" for c in api.callbacks if "MPI_T_" not in c), "}\n", ADDRESSES, "\n"]
    parts += [f"#define {name} {value if value >= 0 else f'({value})'}\n" for name, value in abi.constants.items()]
    parts += [f"#define {name} static_cast<{types[name]}>({value:#x})\n" for name, value in abi.handles.items()
              if types[name] != "MPI_File"]
    parts += ['\nextern "C" {\n']
    objects = {symbol.constant: symbol for symbol in reversed(abi.symbols) if symbol.constant is not None}
    for constant, symbol in objects.items():
        parts.append(f"extern char {symbol.name}[];\n"
                     f"#define {constant} reinterpret_cast<{symbol.handle}>({symbol.name})\n")
    functions = {f.name: f for f in api.under_all_names()}
    functions |= {name: dataclasses.replace(functions[of], name=name) for name, of in abi.synonyms.items()}
    parts += [header.prototype(f, large, prefix) + "\n" for f in functions.values()
              if not f.is_tool and "MPI_T_" not in f.name for large in f.forms() for prefix in ("PMPI_", "MPI_")]
    return "".join(parts) + "}\n"
