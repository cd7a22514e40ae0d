// SPDX-License-Identifier: BSD-3-Clause
// The trace of a long job has few points, which span all of it.
#include "runtime/report/memory_trace.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bowline::runtime {
namespace {

TEST(MemoryTrace, ThinsOutAndKeepsTheWholeTime) {
  MemoryTrace trace;
  for (int i = 0; i < 10'000; ++i) trace.look();
  const auto points = trace.points();
  ASSERT_GE(points.size(), 64U);
  ASSERT_LE(points.size(), 128U);
  for (std::size_t i = 1; i < points.size(); ++i) EXPECT_GE(points[i].at, points[i - 1].at);
}

TEST(MemoryTrace, KeepsEverySecondPoint) {
  MemoryTrace trace;
  for (int i = 0; i <= 128; ++i) trace.add({.at = i, .bytes = 1});
  ASSERT_EQ(trace.points().size(), 65U);
  EXPECT_EQ(trace.points()[0].at, 0);
  EXPECT_EQ(trace.points()[1].at, 2);
  EXPECT_EQ(trace.points()[64].at, 128);
}

TEST(MemoryTrace, SeesTheMemoryOfThisProcess) {
  const std::uint64_t before = resident_bytes();
  constexpr std::size_t more = 64 << 20;
  const std::vector<char> filled(more, 'x');
  EXPECT_GE(resident_bytes(), before + more / 2);
  EXPECT_GE(resident_peak(), resident_bytes() / 2);
  EXPECT_EQ(filled.back(), 'x');
}

}  // namespace
}  // namespace bowline::runtime
