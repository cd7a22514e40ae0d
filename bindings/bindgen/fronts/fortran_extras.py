# SPDX-License-Identifier: BSD-3-Clause
"""Procedures for Fortran that other MPIs have and MPI-5.0 has not: what MPI-3.0 removed, where an address is a default
INTEGER, and extensions."""

from ..fortran import predefined, tools
from ..fortran.predefined import Extra

REMOVED = [
    Extra("MPI_Address", "const void* location, MPI_Fint* address, MPI_Fint* ierror", """\
  MPI_Aint found = 0;
  finish(ierror, PMPI_Address(choice_buffer(location), &found));
  *address = static_cast<MPI_Fint>(found);""", calls=True),
    Extra("MPI_Errhandler_create", "Procedure* function, MPI_Fint* errhandler, MPI_Fint* ierror",
          '  guarded(ierror, "MPI_Errhandler_create",'
          " [&] { return written::comm_create_errhandler(function, errhandler); });"),
    Extra("MPI_Errhandler_get", "const MPI_Fint* comm, MPI_Fint* errhandler, MPI_Fint* ierror",
          "  finish(ierror, PMPI_Errhandler_get(handle<MPI_Comm>(comm), "
          "ResultHandle<MPI_Errhandler>(errhandler)));", calls=True),
    Extra("MPI_Errhandler_set", "const MPI_Fint* comm, const MPI_Fint* errhandler, MPI_Fint* ierror",
          "  finish(ierror, PMPI_Errhandler_set(handle<MPI_Comm>(comm), handle<MPI_Errhandler>(errhandler)));",
          calls=True),
    *(Extra(f"MPI_Type_{name}", "const MPI_Fint* datatype, MPI_Fint* result, MPI_Fint* ierror", f"""\
  MPI_Aint found = 0;
  finish(ierror, PMPI_Type_{name}(handle<MPI_Datatype>(datatype), &found));
  *result = static_cast<MPI_Fint>(found);""", calls=True) for name in ("extent", "lb", "ub")),
    Extra("MPI_Type_hvector", "const MPI_Fint* count, const MPI_Fint* blocklength, const MPI_Fint* stride, "
                              "const MPI_Fint* oldtype, MPI_Fint* newtype, MPI_Fint* ierror", """\
  finish(ierror, PMPI_Type_hvector(*count, *blocklength, *stride, handle<MPI_Datatype>(oldtype),
                                   ResultHandle<MPI_Datatype>(newtype)));""", calls=True),
    Extra("MPI_Type_hindexed", "const MPI_Fint* count, const MPI_Fint* blocklengths, const MPI_Fint* displacements, "
                               "const MPI_Fint* oldtype, MPI_Fint* newtype, MPI_Fint* ierror", """\
  guarded(ierror, "MPI_Type_hindexed", [&] {
    return PMPI_Type_hindexed(*count, blocklengths, Displacements(displacements, length_of(count)),
                              handle<MPI_Datatype>(oldtype), ResultHandle<MPI_Datatype>(newtype));
  });""", calls=True),
    Extra("MPI_Type_struct", "const MPI_Fint* count, const MPI_Fint* blocklengths, const MPI_Fint* displacements, "
                             "const MPI_Fint* oldtypes, MPI_Fint* newtype, MPI_Fint* ierror", """\
  guarded(ierror, "MPI_Type_struct", [&] {
    return PMPI_Type_struct(*count, blocklengths, Displacements(displacements, length_of(count)),
                            Handles<MPI_Datatype>(oldtypes, length_of(count)), ResultHandle<MPI_Datatype>(newtype));
  });""", calls=True),
]

MPICH_EXTENSIONS = [
    Extra("MPIX_GPU_query_support", "const MPI_Fint* gpu, MPI_Fint* supported, MPI_Fint* ierror",
          "  finish(ierror, PMPIX_GPU_query_support(*gpu, ResultLogical(supported)));", calls=True),
    *(Extra(f"MPIX_Query_{name}_support", "MPI_Fint* supported", f"  *supported = PMPIX_Query_{name}_support();",
            calls=True) for name in ("cuda", "hip", "ze")),
    *(Extra(f"MPI_Delete_error_{name}", "const MPI_Fint* number, MPI_Fint* ierror",
            f"  finish(ierror, PMPI_Remove_error_{name}(*number));", calls=True)
      for name in ("class", "code", "string")),
]

OPENING = """// SPDX-License-Identifier: BSD-3-Clause
// Written by bindings/bindgen.py: do not edit. Procedures that MPI-5.0 does not have.
#include "fortran_abi.hpp"
#include "procedures/arguments.hpp"
#include "procedures/arrays.hpp"
#include "written.hpp"

using namespace bowline::fortran;

namespace {

/// Displacements in bytes, which are default INTEGERs.
class Displacements {
 public:
  Displacements(const MPI_Fint* given, std::size_t size) : here_(size) {
    for (std::size_t i = 0; i < size; ++i) here_[i] = given[i];
  }
  operator MPI_Aint*() noexcept { return here_.data(); }

 private:
  LocalArray<MPI_Aint> here_;
};

}  // namespace

extern "C" {
#pragma GCC visibility push(default)
"""

# The functions of C that are called and that the generated mpi.h does not have.
PROTOTYPES = """
int {form}MPI_Address(void*, MPI_Aint*);
int {form}MPI_Errhandler_get(MPI_Comm, MPI_Errhandler*);
int {form}MPI_Errhandler_set(MPI_Comm, MPI_Errhandler);
int {form}MPI_Type_extent(MPI_Datatype, MPI_Aint*);
int {form}MPI_Type_lb(MPI_Datatype, MPI_Aint*);
int {form}MPI_Type_ub(MPI_Datatype, MPI_Aint*);
int {form}MPI_Type_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*);
int {form}MPI_Type_hindexed(int, const int*, MPI_Aint*, MPI_Datatype, MPI_Datatype*);
int {form}MPI_Type_struct(int, const int*, MPI_Aint*, MPI_Datatype*, MPI_Datatype*);
"""

CLOSING = """
#pragma GCC visibility pop
}  // extern "C"
"""


def text(abi, names):
    """`abi`: the facts of the ABI; `names`: its linker names."""
    extras = REMOVED + (MPICH_EXTENSIONS if abi.name == "MPICH" else [])
    prototypes = (PROTOTYPES.format(form=form) for form in tools.FORMS)
    return "".join([OPENING, *prototypes, *(predefined.definitions(names, extra) for extra in extras), CLOSING])
