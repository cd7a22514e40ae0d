// SPDX-License-Identifier: BSD-3-Clause
// Converts single values of external32 to words and back; the written form is the word with its bytes swapped.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <limits>

#include "base/error.hpp"
#include "dtype/native.hpp"

namespace bowline::dtype::external32 {

static_assert(std::endian::native == std::endian::little, "on a big-endian machine nothing is to be swapped");

inline std::uint8_t swapped(std::uint8_t word) {
  return word;
}
inline std::uint16_t swapped(std::uint16_t word) {
  return __builtin_bswap16(word);
}
inline std::uint32_t swapped(std::uint32_t word) {
  return __builtin_bswap32(word);
}
inline std::uint64_t swapped(std::uint64_t word) {
  return __builtin_bswap64(word);
}
inline Unsigned128 swapped(Unsigned128 word) {
  return static_cast<Unsigned128>(swapped(static_cast<std::uint64_t>(word))) << 64 |
         swapped(static_cast<std::uint64_t>(word >> 64));
}

template <class Narrow, class Wide>
Narrow narrowed(Wide value, const char* what) {
  if (value < std::numeric_limits<Narrow>::min() || value > std::numeric_limits<Narrow>::max())
    throw Error(ErrorClass::conversion,
                fmt::format("{} is {}, which external32 cannot hold: it has {} bytes for it, {} to {}", what, value,
                            sizeof(Narrow), std::numeric_limits<Narrow>::min(), std::numeric_limits<Narrow>::max()));
  return static_cast<Narrow>(value);
}

template <class Word>
struct Number {
  using Native = Word;
  using External = Word;
  static Word out(Word value) { return value; }
  static Word in(Word value) { return value; }
};

template <class Word>
struct Logical : Number<Word> {
  static Word out(Word value) { return value != 0 ? 1 : 0; }
  static Word in(Word value) { return value != 0 ? 1 : 0; }
};

struct SignedLong {
  using Native = long;
  using External = std::uint32_t;
  static External out(long value) { return static_cast<External>(narrowed<std::int32_t>(value, "an MPI_LONG")); }
  static long in(External value) { return static_cast<std::int32_t>(value); }
};

struct UnsignedLong {
  using Native = unsigned long;
  using External = std::uint32_t;
  static External out(unsigned long value) { return narrowed<External>(value, "an MPI_UNSIGNED_LONG"); }
  static unsigned long in(External value) { return value; }
};

struct WideCharacter {
  using Native = wchar_t;
  using External = std::uint16_t;
  static External out(wchar_t value) { return narrowed<External>(static_cast<long>(value), "an MPI_WCHAR"); }
  static wchar_t in(External value) { return static_cast<wchar_t>(value); }
};

// The compiler's conversions keep infinities, NaNs and subnormal numbers, and round correctly.
struct LongDouble {
  using Native = long double;
  using External = Unsigned128;
  static External out(long double value) { return std::bit_cast<External>(static_cast<Float128>(value)); }
  static long double in(External value) { return static_cast<long double>(std::bit_cast<Float128>(value)); }
};

}  // namespace bowline::dtype::external32
