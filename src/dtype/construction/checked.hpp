// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic on sizes and displacements that refuses to wrap around.
#pragma once

#include <cstddef>
#include <cstdint>

namespace bowline::dtype::checked {

/// Throws Error (arg): a size or displacement would not fit 64 bits.
[[noreturn, gnu::cold]] void overflow();

inline std::int64_t add(std::int64_t left, std::int64_t right) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(left, right, &sum)) [[unlikely]]
    overflow();
  return sum;
}

inline std::int64_t subtract(std::int64_t left, std::int64_t right) {
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(left, right, &difference)) [[unlikely]]
    overflow();
  return difference;
}

inline std::int64_t multiply(std::int64_t left, std::int64_t right) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(left, right, &product)) [[unlikely]]
    overflow();
  return product;
}

}  // namespace bowline::dtype::checked
