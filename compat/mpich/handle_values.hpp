// SPDX-License-Identifier: BSD-3-Clause
// Handles of MPICH's ABI, which are ints, but for files. The templates are what abi_conversions.hpp calls for each kind
// of handle.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "abi_handles.hpp"
#include "abi_values.hpp"

namespace abi {

// The upper two bits of a handle are 1 for most predefined objects. The other predefined datatypes and all null handles
// have less than 2^12 in their lower 24 bits. Any other handle is the integer that Bowline gives the object (MPI-5.0,
// section 20.4), which is more there, with the sign bit.

inline constexpr unsigned made = 0x8000'0000U;
inline constexpr std::uintptr_t no_handle = 0xfff;

/// A handle of the standard that is predefined, or no_handle.
std::uintptr_t predefined_in(int here) noexcept;

inline bool is_made(int here) noexcept {
  return here < 0 && (here & 0xff'ffff) >= 0x1000;
}

/// The handles here of the standard's predefined ones.
inline constexpr auto predefined_out = [] {
  std::array<unsigned, 0x300> here{};
  for (const PredefinedHandle& each : predefined_handles) here[each.standard] = each.here;
  return here;
}();

// ---- what the program passes

template <class Kind>
typename Kind::Standard any_handle_in(typename Kind::Here here) noexcept {
  if (is_made(here)) return Kind::from_number(static_cast<int>(static_cast<unsigned>(here) & ~made));
  return reinterpret_cast<typename Kind::Standard>(predefined_in(here));
}
template <class Kind>
typename Kind::Standard handle_in(typename Kind::Here here) noexcept {
  return any_handle_in<Kind>(here);
}

template <>
inline MPI_Comm handle_in<CommHandle>(Comm here) noexcept {
  constexpr auto world = static_cast<Comm>(predefined_out[0x101]);
  return here == world ? MPI_COMM_WORLD : any_handle_in<CommHandle>(here);
}

/// The standard's datatypes by the lowest byte of the handle, of those that begin with 0x4c00.
inline constexpr unsigned basic_types = 0x4c00;
inline constexpr auto types_in = [] {
  std::array<std::uint16_t, 256> standard{};
  standard.fill(no_handle);
  for (const PredefinedHandle& each : predefined_handles) {
    if (each.here >> 16 == basic_types) standard[each.here & 0xff] = static_cast<std::uint16_t>(each.standard);
  }
  return standard;
}();
template <>
inline MPI_Datatype handle_in<DatatypeHandle>(Datatype here) noexcept {
  const auto bits = static_cast<unsigned>(here);
  if (bits >> 16 == basic_types) [[likely]]
    return reinterpret_cast<MPI_Datatype>(std::uintptr_t{types_in[bits & 0xff]});
  return any_handle_in<DatatypeHandle>(here);
}

/// MPI_MESSAGE_NULL and MPI_REQUEST_NULL are the same number here.
inline constexpr auto message_null = static_cast<Message>(predefined_out[0x128]);
template <>
inline MPI_Message handle_in<MessageHandle>(Message here) noexcept {
  return here == message_null ? MPI_MESSAGE_NULL : any_handle_in<MessageHandle>(here);
}
inline constexpr auto request_null = static_cast<Request>(predefined_out[0x180]);
template <>
inline MPI_Request handle_in<RequestHandle>(Request here) noexcept {
  return here == request_null ? MPI_REQUEST_NULL : any_handle_in<RequestHandle>(here);
}

// ---- what the program gets

template <class Kind>
typename Kind::Here handle_out(typename Kind::Standard standard) noexcept {
  const auto value = reinterpret_cast<std::uintptr_t>(standard);
  if (value < predefined_out.size()) return static_cast<int>(predefined_out[value]);
  return static_cast<int>(static_cast<unsigned>(Kind::number_of(standard)) | made);
}

// ---- Fortran

/// The integer of a handle (MPI-5.0, section 20.4) is the handle itself, as in Fortran.
template <class Kind>
int handle_number(typename Kind::Here here) noexcept {
  return here;
}
template <class Kind>
typename Kind::Here numbered_handle(int number) noexcept {
  return number;
}

// ---- files

/// The handle of a file is the same address as in the standard ABI; only the null handles differ.
template <>
inline MPI_File handle_in<FileHandle>(File here) noexcept {
  return here == nullptr ? MPI_FILE_NULL : reinterpret_cast<MPI_File>(here);
}
template <>
inline File handle_out<FileHandle>(MPI_File standard) noexcept {
  return standard == MPI_FILE_NULL ? nullptr : reinterpret_cast<File>(standard);
}
/// Files have a number of their own; 0 is the null handle.
template <>
inline int handle_number<FileHandle>(File here) noexcept {
  return here == nullptr ? 0 : FileHandle::number_of(handle_in<FileHandle>(here));
}
template <>
inline File numbered_handle<FileHandle>(int number) noexcept {
  return number == 0 ? nullptr : handle_out<FileHandle>(FileHandle::from_number(number));
}

}  // namespace abi
