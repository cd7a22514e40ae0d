// SPDX-License-Identifier: BSD-3-Clause
// proto/bytes_arrived: pieces in any order, and those that cannot be.
#include "proto/services/bytes_arrived.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "support/seed.hpp"

namespace bowline::proto {
namespace {

TEST(Coverage, CountsWhatHasCome) {
  Coverage coverage;
  EXPECT_TRUE(coverage.add(50, 50, 100));
  EXPECT_TRUE(coverage.add(0, 20, 100));
  EXPECT_TRUE(coverage.add(20, 30, 100));
  EXPECT_EQ(coverage.covered(), 100U);
  coverage.clear();
  EXPECT_EQ(coverage.covered(), 0U);
  EXPECT_TRUE(coverage.add(0, 100, 100));
}

TEST(Coverage, NothingCountsTwiceOrBeyondTheEnd) {
  Coverage coverage;
  EXPECT_TRUE(coverage.add(40, 20, 100));
  for (const auto& [offset, bytes] :
       std::vector<std::pair<std::size_t, std::size_t>>{{40, 20},
                                                        {30, 11},
                                                        {59, 1},
                                                        {0, 100},
                                                        {41, 2},
                                                        {0, 0},
                                                        {90, 11},
                                                        {101, 1},
                                                        {60, std::numeric_limits<std::size_t>::max()},
                                                        {std::numeric_limits<std::size_t>::max(), 2}}) {
    EXPECT_FALSE(coverage.add(offset, bytes, 100)) << offset << ' ' << bytes;
  }
  EXPECT_EQ(coverage.covered(), 20U);
  EXPECT_TRUE(coverage.add(30, 10, 100));
  EXPECT_TRUE(coverage.add(60, 40, 100));
}

TEST(Coverage, RandomPiecesAgainstBits) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 200; ++round) {
      const std::size_t whole = 1 + random() % 200;
      std::vector<bool> bits(whole);
      Coverage coverage;
      for (int i = 0; i < 300; ++i) {
        const std::size_t offset = random() % (whole + 5), bytes = random() % 12;
        const bool fits = bytes > 0 && offset + bytes <= whole;
        const bool fresh = fits && std::none_of(bits.begin() + static_cast<std::ptrdiff_t>(offset),
                                                bits.begin() + static_cast<std::ptrdiff_t>(offset + bytes),
                                                [](bool bit) { return bit; });
        ASSERT_EQ(coverage.add(offset, bytes, whole), fresh) << offset << ' ' << bytes;
        if (fresh) std::fill_n(bits.begin() + static_cast<std::ptrdiff_t>(offset), bytes, true);
        ASSERT_EQ(coverage.covered(), static_cast<std::size_t>(std::ranges::count(bits, true)));
      }
    }
  }
}

}  // namespace
}  // namespace bowline::proto
