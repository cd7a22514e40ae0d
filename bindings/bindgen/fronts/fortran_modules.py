# SPDX-License-Identifier: BSD-3-Clause
"""Writes what another MPI's Fortran modules have in its library, under the names that gfortran gives it: the handles of
predefined objects, comparisons of handles, and MPI_Sizeof."""

import re

from ..fortran.conversions import HANDLES

OPENING = """// SPDX-License-Identifier: BSD-3-Clause
// Written by bindings/bindgen.py: do not edit. What programs need of the modules mpi and mpi_f08.
#include <cstring>

#include "fortran_abi.hpp"
#include "procedures/procedure.hpp"

using namespace bowline::fortran;

extern "C" {
#pragma GCC visibility push(default)

// Predefined handles.
"""

CLOSING = """
#pragma GCC visibility pop
}  // extern "C"
"""

OBJECTS = sorted(type_.removeprefix("MPI_").lower() for type_ in set(HANDLES.values()))

# Bytes of an element, by the names of types that the modules use.
SIZES = {"character": 1, "logical": 4, "int8": 1, "int16": 2, "int32": 4, "int64": 8, "real32": 4, "real64": 8,
         "real128": 16, "complex32": 8, "complex64": 16, "complex128": 32}


def text(abi):
    return OPENING + "".join({"MPICH": _mpich, "Open MPI": _openmpi}[abi.name](abi)) + CLOSING


# ---- MPICH

TYPES = "__mpi_f08_types_MOD_"

# The modules mpi and mpi_f08 have names of their own for the sizes.
MPICH_SIZES = {"ch": 1, "cx": 8, "d": 8, "i": 4, "i1": 1, "i2": 2, "i8": 8, "l": 4, "r": 4}


def _mpich(abi):
    yield from (_constant(f"__mpi_f08_compile_constants_MOD_{name.lower()}", value)
                for name, value in (abi.handles | abi.fortran_handles).items())
    for operator, sign in (("eq", "=="), ("neq", "!=")):
        modern = [TYPES + name for object_ in OBJECTS for name in
                  (f"mpi_{object_}_{operator}", f"mpi_{object_}_f08_{operator}_f", f"mpi_{object_}_f_{operator}_f08")]
        yield from _comparison(sign, modern + [f"__mpi_constants_MOD_{object_}{operator}" for object_ in OBJECTS])
    yield from _procedure("int", [f"{TYPES}mpi_{object_}_{way}" for object_ in OBJECTS if object_ != "file"
                                  for way in ("c2f", "f2c")], "int number", "return number;")
    copy = f"std::memcpy(to, from, {abi.status_integers} * sizeof *to);"
    yield from _procedure("void", [TYPES + "mpi_status_f2f08", TYPES + "mpi_status_f082f"],
                          "const MPI_Fint* from, MPI_Fint* to, MPI_Fint* ierror",
                          f"{copy} finish(ierror, MPI_SUCCESS);")
    yield from _procedure("void", [TYPES + "mpi_status_c_assign_f08", TYPES + "mpi_status_f08_assign_c"],
                          "MPI_Fint* to, const MPI_Fint* from", copy)
    for name, size in SIZES.items():
        yield from _sizeof([f"{TYPES}mpi_sizeof_{name if name in ('character', 'logical') else 'x' + name}"], size)
    for name, size in MPICH_SIZES.items():
        yield from _sizeof([f"__mpi_sizeofs_MOD_mpi_sizeof_{name}", f"__mpi_sizeofs_MOD_mpi_sizeof_{name}v"], size)


# ---- Open MPI

def _openmpi(abi):
    for name, value in _openmpi_constants(abi):
        yield _constant(TYPES + name, value)
        yield _constant("ompi_f08_" + re.sub(r"(int\d+)_t$", r"\1", name), value)
    for operator, sign in (("eq", "=="), ("ne", "!=")):
        yield from _comparison(sign, [f"{TYPES}ompi_{object_}_op_{operator}" for object_ in OBJECTS])
    for name, size in SIZES.items():
        shapes = ["scalar"] + [f"r{rank}" for rank in range(1, 16)]
        yield from _sizeof([f"{prefix}mpi_sizeof_{name}_{shape}_" for prefix in ("p", "") for shape in shapes], size)


def _openmpi_constants(abi):
    for symbol in abi.symbols:
        if symbol.fortran is not None and symbol.constant is not None:
            yield symbol.constant.lower(), symbol.fortran
    for name, value in abi.fortran_handles.items():
        yield name.lower(), value


# ---- both

def _constant(symbol, value):
    return f"extern const MPI_Fint {symbol};\nconst MPI_Fint {symbol} = static_cast<MPI_Fint>({value:#x});\n"


def _comparison(operator, symbols):
    return _procedure("MPI_Fint", symbols, "const MPI_Fint* a, const MPI_Fint* b",
                      f"return logical_value(*a {operator} *b);")


def _sizeof(symbols, size):
    return _procedure("void", symbols, "const void*, MPI_Fint* size, MPI_Fint* ierror",
                      f"*size = {size}; finish(ierror, MPI_SUCCESS);")


def _procedure(returns, symbols, parameters, statements):
    first, *others = symbols
    yield f"\n{returns} {first}({parameters}) noexcept {{ {statements} }}\n"
    yield from (f'decltype({first}) {name} __attribute__((alias("{first}")));\n' for name in others)
