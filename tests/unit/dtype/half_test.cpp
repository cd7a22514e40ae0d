// SPDX-License-Identifier: BSD-3-Clause
// dtype/half: every bit pattern, and the rounding between each two neighbours.
#include "dtype/kernels/half.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace bowline::dtype {
namespace {

TEST(Half, RoundTripsEveryBitPatternAndRoundsToTheNearest) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half;
    half.bits = static_cast<std::uint16_t>(bits);
    const auto wide = static_cast<float>(half);
    if (std::isnan(wide)) {
      EXPECT_GT(bits & 0x7fff, 0x7c00U);
      EXPECT_TRUE(std::isnan(static_cast<float>(Half(wide))));
      continue;
    }
    ASSERT_EQ(Half(wide).bits, bits);
    const auto exponent = static_cast<int>((bits >> 10) & 0x1f);
    if (exponent == 0x1f) continue;  // infinite
    const double fraction = static_cast<double>(bits & 0x3ff) / 1024;
    const double magnitude = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
    ASSERT_EQ(wide, bits < 0x8000 ? magnitude : -magnitude);
    if ((bits & 0x7fff) == 0x7bff) continue;
    Half next;
    next.bits = static_cast<std::uint16_t>(bits + 1);
    const float middle = (wide + static_cast<float>(next)) / 2;  // exact
    ASSERT_EQ(Half(middle).bits, bits % 2 == 0 ? bits : bits + 1) << "ties go to even";
    ASSERT_EQ(Half(std::nextafter(middle, wide)).bits, bits);
    ASSERT_EQ(Half(std::nextafter(middle, static_cast<float>(next))).bits, bits + 1);
  }
  EXPECT_EQ(Half(65519.0f).bits, 0x7bff);
  EXPECT_EQ(Half(65520.0f).bits, 0x7c00) << "half way to the next power of two";
  EXPECT_EQ(Half(-1e30f).bits, 0xfc00);
}

}  // namespace
}  // namespace bowline::dtype
