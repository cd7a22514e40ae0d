// SPDX-License-Identifier: BSD-3-Clause
// What all procedures for Fortran share: how they end.
#pragma once

#include <cstddef>
#include <exception>

#include "fortran_abi.hpp"

namespace bowline::fortran {

/// A procedure of the user; its arguments depend on what it is for.
using Procedure = void();

/// ierror is optional in mpi_f08.
inline void finish(MPI_Fint* ierror, int code) noexcept {
  if (ierror != nullptr) *ierror = code;
}

/// Raises the exception that is being handled as an error of an MPI function. Returns the code that it has to return.
[[gnu::cold]] int raise_current(const char* function) noexcept;

/// For conversions that may throw: a lack of memory becomes an error of the MPI function.
template <class Body>
void guarded(MPI_Fint* ierror, const char* function, Body body) noexcept {
  try {
    finish(ierror, body());
  } catch (const std::exception&) {
    finish(ierror, raise_current(function));
  }
}

}  // namespace bowline::fortran
