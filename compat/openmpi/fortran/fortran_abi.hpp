// SPDX-License-Identifier: BSD-3-Clause
// What the procedures for Fortran need to know of Open MPI's ABI. fortran/abi/standard/fortran_abi.hpp says what each
// definition is for.
#pragma once

#pragma GCC visibility push(default)
#include <mpi.h>

extern "C" {
// COMMON blocks of mpif.h and variables of the modules; the front end defines them. A program that has such a COMMON
// block defines the variable itself, and the libraries use that one.
extern int mpi_fortran_bottom_;
extern int mpi_fortran_in_place_;
extern int mpi_fortran_unweighted_;
extern int mpi_fortran_weights_empty_;
extern int mpi_fortran_errcodes_ignore_;
extern char mpi_fortran_argv_null_;
extern char mpi_fortran_argvs_null_;
extern double mpi_fortran_status_ignore_;
extern double mpi_fortran_statuses_ignore_;
}
#pragma GCC visibility pop

#include "fortran/front_interface.hpp"
#include "handle_integers.hpp"
#include "procedures/descriptor.hpp"

namespace bowline::fortran {

namespace sentinel {
inline bool is_bottom(const void* address) noexcept {
  return address == &mpi_fortran_bottom_;
}
inline bool is_in_place(const void* address) noexcept {
  return address == &mpi_fortran_in_place_;
}
inline bool is_buffer_automatic(const void*) noexcept {
  return false;  // Open MPI's modules do not have it
}
inline const void* buffer_automatic() noexcept {
  return nullptr;
}
inline bool is_unweighted(const void* address) noexcept {
  return address == &mpi_fortran_unweighted_;
}
inline bool is_weights_empty(const void* address) noexcept {
  return address == &mpi_fortran_weights_empty_;
}
inline bool is_errcodes_ignore(const void* address) noexcept {
  return address == &mpi_fortran_errcodes_ignore_;
}
inline bool is_status_ignore(const void* status) noexcept {
  return status == &mpi_fortran_status_ignore_;
}
inline bool is_statuses_ignore(const void* statuses) noexcept {
  return statuses == &mpi_fortran_statuses_ignore_;
}
inline bool is_argv_null(const void* address) noexcept {
  return address == &mpi_fortran_argv_null_;
}
inline bool is_argvs_null(const void* address) noexcept {
  return address == &mpi_fortran_argvs_null_;
}
}  // namespace sentinel

inline constexpr int status_integers = 6;

// Its procedures get no descriptors; this is for code that every ABI shares.
using Descriptor = DescriptorWith<LayoutOfC>;

template <class Handle>
Handle handle_of(MPI_Fint number) {
  return converted(number, Handle{});
}

template <class Handle>
MPI_Fint number_of(Handle handle) {
  return converted(handle);
}

}  // namespace bowline::fortran
