// SPDX-License-Identifier: BSD-3-Clause
// Every predefined datatype and where its data lies: what a message of that type must carry, byte for byte.
#pragma once

#include <mpi.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace check {

// A value and its index, as the pair types for MPI_MINLOC and MPI_MAXLOC lay them out in C.
template <typename Value, typename Index = int>
struct Pair {
  Value value;
  Index index;
};

struct Type {
  MPI_Datatype handle;
  const char* name;
  std::size_t extent;                 // bytes from one element to the next
  std::size_t first_bytes;            // data bytes from the start of the element
  std::size_t index_at, index_bytes;  // where a pair's index lies; 0, 0 for other types

  // Is this byte of an element data? Padding between the parts of a pair need not arrive.
  bool carries(std::size_t offset) const {
    return offset < first_bytes || (offset >= index_at && offset < index_at + index_bytes);
  }
};

inline Type plain(MPI_Datatype handle, const char* name, std::size_t bytes) {
  return {handle, name, bytes, bytes, 0, 0};
}

template <typename Value, typename Index = int>
Type pair(MPI_Datatype handle, const char* name) {
  using Layout = Pair<Value, Index>;
  return {handle, name, sizeof(Layout), sizeof(Value), offsetof(Layout, index), sizeof(Index)};
}

inline std::vector<Type> all_types() {
  const std::size_t complex80 = sizeof(std::complex<long double>);
  return {
      plain(MPI_AINT, "MPI_AINT", sizeof(MPI_Aint)),
      plain(MPI_COUNT, "MPI_COUNT", sizeof(MPI_Count)),
      plain(MPI_OFFSET, "MPI_OFFSET", sizeof(MPI_Offset)),
      plain(MPI_PACKED, "MPI_PACKED", 1),
      plain(MPI_SHORT, "MPI_SHORT", sizeof(short)),
      plain(MPI_INT, "MPI_INT", sizeof(int)),
      plain(MPI_LONG, "MPI_LONG", sizeof(long)),
      plain(MPI_LONG_LONG, "MPI_LONG_LONG", sizeof(long long)),
      plain(MPI_UNSIGNED_SHORT, "MPI_UNSIGNED_SHORT", sizeof(unsigned short)),
      plain(MPI_UNSIGNED, "MPI_UNSIGNED", sizeof(unsigned)),
      plain(MPI_UNSIGNED_LONG, "MPI_UNSIGNED_LONG", sizeof(unsigned long)),
      plain(MPI_UNSIGNED_LONG_LONG, "MPI_UNSIGNED_LONG_LONG", sizeof(unsigned long long)),
      plain(MPI_FLOAT, "MPI_FLOAT", sizeof(float)),
      plain(MPI_C_FLOAT_COMPLEX, "MPI_C_FLOAT_COMPLEX", 2 * sizeof(float)),
      plain(MPI_CXX_FLOAT_COMPLEX, "MPI_CXX_FLOAT_COMPLEX", 2 * sizeof(float)),
      plain(MPI_DOUBLE, "MPI_DOUBLE", sizeof(double)),
      plain(MPI_C_DOUBLE_COMPLEX, "MPI_C_DOUBLE_COMPLEX", 2 * sizeof(double)),
      plain(MPI_CXX_DOUBLE_COMPLEX, "MPI_CXX_DOUBLE_COMPLEX", 2 * sizeof(double)),
      plain(MPI_LOGICAL, "MPI_LOGICAL", 4),
      plain(MPI_INTEGER, "MPI_INTEGER", 4),
      plain(MPI_REAL, "MPI_REAL", 4),
      plain(MPI_COMPLEX, "MPI_COMPLEX", 8),
      plain(MPI_DOUBLE_PRECISION, "MPI_DOUBLE_PRECISION", 8),
      plain(MPI_DOUBLE_COMPLEX, "MPI_DOUBLE_COMPLEX", 16),
      plain(MPI_CHARACTER, "MPI_CHARACTER", 1),
      plain(MPI_LONG_DOUBLE, "MPI_LONG_DOUBLE", sizeof(long double)),
      plain(MPI_C_LONG_DOUBLE_COMPLEX, "MPI_C_LONG_DOUBLE_COMPLEX", complex80),
      plain(MPI_CXX_LONG_DOUBLE_COMPLEX, "MPI_CXX_LONG_DOUBLE_COMPLEX", complex80),
      pair<float>(MPI_FLOAT_INT, "MPI_FLOAT_INT"),
      pair<double>(MPI_DOUBLE_INT, "MPI_DOUBLE_INT"),
      pair<long>(MPI_LONG_INT, "MPI_LONG_INT"),
      pair<int>(MPI_2INT, "MPI_2INT"),
      pair<short>(MPI_SHORT_INT, "MPI_SHORT_INT"),
      pair<long double>(MPI_LONG_DOUBLE_INT, "MPI_LONG_DOUBLE_INT"),
      pair<float, float>(MPI_2REAL, "MPI_2REAL"),
      pair<double, double>(MPI_2DOUBLE_PRECISION, "MPI_2DOUBLE_PRECISION"),
      pair<int>(MPI_2INTEGER, "MPI_2INTEGER"),
      plain(MPI_C_BOOL, "MPI_C_BOOL", 1),
      plain(MPI_CXX_BOOL, "MPI_CXX_BOOL", 1),
      plain(MPI_WCHAR, "MPI_WCHAR", sizeof(wchar_t)),
      plain(MPI_INT8_T, "MPI_INT8_T", 1),
      plain(MPI_UINT8_T, "MPI_UINT8_T", 1),
      plain(MPI_CHAR, "MPI_CHAR", 1),
      plain(MPI_SIGNED_CHAR, "MPI_SIGNED_CHAR", 1),
      plain(MPI_UNSIGNED_CHAR, "MPI_UNSIGNED_CHAR", 1),
      plain(MPI_BYTE, "MPI_BYTE", 1),
      plain(MPI_INT16_T, "MPI_INT16_T", 2),
      plain(MPI_UINT16_T, "MPI_UINT16_T", 2),
      plain(MPI_INT32_T, "MPI_INT32_T", 4),
      plain(MPI_UINT32_T, "MPI_UINT32_T", 4),
      plain(MPI_INT64_T, "MPI_INT64_T", 8),
      plain(MPI_UINT64_T, "MPI_UINT64_T", 8),
      plain(MPI_LOGICAL1, "MPI_LOGICAL1", 1),
      plain(MPI_INTEGER1, "MPI_INTEGER1", 1),
      plain(MPI_LOGICAL2, "MPI_LOGICAL2", 2),
      plain(MPI_INTEGER2, "MPI_INTEGER2", 2),
      plain(MPI_REAL2, "MPI_REAL2", 2),
      plain(MPI_LOGICAL4, "MPI_LOGICAL4", 4),
      plain(MPI_INTEGER4, "MPI_INTEGER4", 4),
      plain(MPI_REAL4, "MPI_REAL4", 4),
      plain(MPI_COMPLEX4, "MPI_COMPLEX4", 4),
      plain(MPI_LOGICAL8, "MPI_LOGICAL8", 8),
      plain(MPI_INTEGER8, "MPI_INTEGER8", 8),
      plain(MPI_REAL8, "MPI_REAL8", 8),
      plain(MPI_COMPLEX8, "MPI_COMPLEX8", 8),
      plain(MPI_LOGICAL16, "MPI_LOGICAL16", 16),
      plain(MPI_INTEGER16, "MPI_INTEGER16", 16),
      plain(MPI_REAL16, "MPI_REAL16", 16),
      plain(MPI_COMPLEX16, "MPI_COMPLEX16", 16),
      plain(MPI_COMPLEX32, "MPI_COMPLEX32", 32),
  };
}

// A byte that depends on the place, the sender and the message, and is never `untouched`.
constexpr unsigned char untouched = 0xee;
constexpr unsigned char pattern(std::size_t place, int sender, int message) {
  const std::size_t mixed = place * 167 + place / 251 + static_cast<std::size_t>(sender * 31 + message * 7);
  return static_cast<unsigned char>(mixed % 0xee);
}

inline std::vector<unsigned char> patterned(std::size_t bytes, int sender, int message) {
  std::vector<unsigned char> buffer(bytes);
  for (std::size_t place = 0; place < bytes; ++place) buffer[place] = pattern(place, sender, message);
  return buffer;
}

// The first place where a received buffer differs from what the sender put there, or -1. Past `bytes` it must be
// untouched.
inline long first_difference(const std::vector<unsigned char>& buffer, std::size_t bytes, int sender, int message) {
  for (std::size_t place = 0; place < buffer.size(); ++place) {
    const unsigned char expected = place < bytes ? pattern(place, sender, message) : untouched;
    if (buffer[place] != expected) return static_cast<long>(place);
  }
  return -1;
}

}  // namespace check
