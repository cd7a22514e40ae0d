// SPDX-License-Identifier: BSD-3-Clause
// Handles of Open MPI's ABI, which are addresses. A predefined handle is the address of a variable of the library, of
// which the program may have a copy that takes its place; any other handle is the same address as in the standard ABI.
// The templates are what abi_conversions.hpp calls for each kind of handle.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>

#include "abi_handles.hpp"

namespace abi {

/// The variable behind a predefined handle. If the program has a copy, the copy has the same contents.
struct Predefined {
  std::uintptr_t standard;  ///< the handle in the standard ABI
  long fortran;             ///< the handle in Fortran; -1 if it has none
};

/// Where predefined handles are: among the library's variables, or among the program's copies of them.
struct Places {
  std::uintptr_t library;
  std::size_t library_bytes;
  std::uintptr_t program;
  std::size_t program_bytes;  ///< 0 if the program has none
};
extern Places places;

inline bool is_predefined(std::uintptr_t handle) noexcept {
  return handle - places.library < places.library_bytes || handle - places.program < places.program_bytes;
}

/// The predefined handles here, by those of the standard.
inline constexpr std::size_t predefined_end = 0x300;
extern std::uintptr_t predefined_out[predefined_end];

template <class Kind>
typename Kind::Standard handle_in(typename Kind::Here here) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(here);
  return reinterpret_cast<typename Kind::Standard>(
      is_predefined(value) ? reinterpret_cast<const Predefined*>(here)->standard : value);
}
template <class Kind>
typename Kind::Here handle_out(typename Kind::Standard standard) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(standard);
  return reinterpret_cast<typename Kind::Here>(value < predefined_end ? predefined_out[value] : value);
}

/// MPI_REQUEST_NULL is the only predefined request.
extern "C" Predefined ompi_request_null;
inline Request request_null() noexcept {
  return reinterpret_cast<Request>(&ompi_request_null);
}
template <>
inline MPI_Request handle_in<RequestHandle>(Request here) noexcept {
  return here == request_null() ? MPI_REQUEST_NULL : reinterpret_cast<MPI_Request>(here);
}
template <>
inline Request handle_out<RequestHandle>(MPI_Request standard) noexcept {
  return standard == MPI_REQUEST_NULL ? request_null() : reinterpret_cast<Request>(standard);
}

// The integer of a handle (MPI-5.0, section 20.4) is the handle in Fortran: small numbers for predefined handles, and
// the integers that Bowline gives all others, which are larger.

template <class Kind>
int handle_number(typename Kind::Here here) noexcept {
  if (is_predefined(reinterpret_cast<std::uintptr_t>(here)))
    return static_cast<int>(reinterpret_cast<const Predefined*>(here)->fortran);
  return Kind::number_of(reinterpret_cast<typename Kind::Standard>(here));
}
/// A null pointer if there is no such handle, as in Open MPI.
template <class Kind>
typename Kind::Here numbered_handle(int number) noexcept {
  if (number < 0) return nullptr;
  if (number < numbers_end) return static_cast<typename Kind::Here>(Kind::by_number[number]);
  return reinterpret_cast<typename Kind::Here>(Kind::from_number(number));
}

}  // namespace abi
