// SPDX-License-Identifier: BSD-3-Clause
// What the procedures for Fortran need to know of the ABI that they serve; this is the standard ABI (MPI-5.0, section
// 20.4). The folder of another ABI has a header of this name, which defines the same:
//
//   sentinel::                 the variables of Fortran whose addresses have a meaning
//   handle_of<H>, number_of    conversion of handles to INTEGERs and back
//   status_integers            the length of a status; a status of Fortran has the layout of one of C
//   Descriptor                 what mpi_f08 passes for an argument of assumed rank
//   interface()                the private interface of the library that PMPI_X belongs to, with the types of its mpi.h
//   logical_value(truth)       .TRUE. and .FALSE. as a LOGICAL
//   starting()                 is called before MPI is initialized
#pragma once

#include <atomic>
#include <cstdint>

// What the library exports and imports; everything else in it is hidden.
#pragma GCC visibility push(default)
#include <mpi-ext.h>
#include <mpi.h>

// Fortran's COMMON blocks, or variables of its modules. An executable that has such a COMMON block defines the variable
// itself, and the library uses that one.
extern "C" {
extern const int mpi_abi_bottom_;
extern const int mpi_abi_in_place_;
extern const int mpi_abi_buffer_automatic_;
extern const int mpi_abi_unweighted_[1];
extern const int mpi_abi_weights_empty_[1];
extern const int mpi_abi_errcodes_ignore_[1];
extern const int mpi_abi_status_ignore_[MPI_F_STATUS_SIZE];
extern const int mpi_abi_statuses_ignore_[MPI_F_STATUS_SIZE];
extern const int mpi_abi_f08_status_ignore_[MPI_F_STATUS_SIZE];
extern const int mpi_abi_f08_statuses_ignore_[MPI_F_STATUS_SIZE];
extern const char mpi_abi_argv_null_[1];
extern const char mpi_abi_argvs_null_[1];
}
#pragma GCC visibility pop

#include "api/entry/private_interface.hpp"
#include "handle_integers.hpp"
#include "procedures/descriptor.hpp"

namespace bowline::fortran {

namespace sentinel {
inline bool is_bottom(const void* address) noexcept {
  return address == &mpi_abi_bottom_;
}
inline bool is_in_place(const void* address) noexcept {
  return address == &mpi_abi_in_place_;
}
inline bool is_buffer_automatic(const void* address) noexcept {
  return address == &mpi_abi_buffer_automatic_;
}
inline const void* buffer_automatic() noexcept {
  return &mpi_abi_buffer_automatic_;
}
inline bool is_unweighted(const void* address) noexcept {
  return address == mpi_abi_unweighted_;
}
inline bool is_weights_empty(const void* address) noexcept {
  return address == mpi_abi_weights_empty_;
}
inline bool is_errcodes_ignore(const void* address) noexcept {
  return address == mpi_abi_errcodes_ignore_;
}
inline bool is_status_ignore(const void* status) noexcept {
  return status == mpi_abi_f08_status_ignore_ || status == mpi_abi_status_ignore_;
}
inline bool is_statuses_ignore(const void* statuses) noexcept {
  return statuses == mpi_abi_f08_statuses_ignore_ || statuses == mpi_abi_statuses_ignore_;
}
inline bool is_argv_null(const void* address) noexcept {
  return address == mpi_abi_argv_null_;
}
inline bool is_argvs_null(const void* address) noexcept {
  return address == mpi_abi_argvs_null_;
}
}  // namespace sentinel

inline constexpr int status_integers = MPI_F_STATUS_SIZE;

using Descriptor = DescriptorWith<LayoutOfC>;

const PrivateInterface& interface() noexcept;

/// The values that MPI_Abi_set_fortran_booleans has set. Without it they are 1 and 0, which all compilers understand
/// that take odd numbers, or all but zero, for .TRUE..
inline MPI_Fint logical_value(bool truth) noexcept {
  return interface().logical_values[truth ? 1 : 0].load(std::memory_order_relaxed);
}

/// Tells the library what the Fortran compiler has, unless the program has done so (MPI_Abi_set_fortran_info).
void starting() noexcept;

// The number of a predefined handle is its value.
inline constexpr unsigned first_object = 0x1000;

/// A number that stands for no handle gives an invalid one, which the C function refuses.
template <class Handle>
Handle handle_of(MPI_Fint number) {
  if (static_cast<unsigned>(number) < first_object) [[likely]]
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
  return converted(number, Handle{});
}

template <class Handle>
MPI_Fint number_of(Handle handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  if (value < first_object) [[likely]]
    return static_cast<MPI_Fint>(value);
  return converted(handle);
}

}  // namespace bowline::fortran
