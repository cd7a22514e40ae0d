// SPDX-License-Identifier: BSD-3-Clause
// Element: the kind of one item of a predefined datatype. Types that share an element have the same layout, the same
// external32 form, and belong to the same group of the table of reduction operators; so MPI_INT and MPI_INTEGER differ.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bowline::dtype {

enum class Element : std::uint8_t {
  byte,       // no arithmetic: MPI_BYTE's bits
  packed,     // the output of MPI_Pack
  character,  // printable, no arithmetic
  wide_character,
  i8,  // C integers
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  c_long,  // distinct from i64 and u64, because c_long and c_ulong have four bytes in external32
  c_ulong,
  fortran_i8,
  fortran_i16,
  fortran_i32,
  fortran_i64,
  fortran_i128,
  address,  // MPI_AINT, MPI_COUNT and MPI_OFFSET, which belong to all languages
  f16,
  f32,
  f64,
  f80,
  f128,
  c16,
  c32,
  c64,
  c80,
  c128,     // complex; the number is the width of one part
  boolean,  // C and C++ bool
  l8,
  l16,
  l32,
  l64,
  l128,  // Fortran LOGICAL
  // Pairs of a value and an index, for MPI_MINLOC and MPI_MAXLOC.
  f32_i32,
  f64_i32,
  long_i32,
  i32_i32,
  i16_i32,
  f80_i32,
  f32_f32,
  f64_f64,
  fortran_i32_i32,
  count_
};

inline constexpr std::size_t element_count = static_cast<std::size_t>(Element::count_);

/// A value and its index, in the layout of a C struct; the padding is not part of the data.
template <class Value, class Index>
struct Pair {
  using value_type = Value;
  using index_type = Index;
  Value value;
  Index index;
};

}  // namespace bowline::dtype
