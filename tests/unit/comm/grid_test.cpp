// SPDX-License-Identifier: BSD-3-Clause
// comm/grid: the chosen dimensions against all possible ones.
#include "comm/grid.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

namespace bowline::comm {
namespace {

using Dims = std::vector<int>;

/// Of two rows of factors in descending order: whose ends are closer to each other, else which has the larger factors
/// from the end on.
bool closer(const Dims& one, const Dims& other) {
  const int spread = one.front() - one.back(), others = other.front() - other.back();
  if (spread != others) return spread < others;
  return Dims(one.rbegin(), one.rend()) > Dims(other.rbegin(), other.rend());
}

/// The best of all ways to write `product` as `count` factors in descending order.
Dims exhaustive(int product, int count) {
  Dims best, now;
  const std::function<void(int, int)> search = [&](int rest, int most) {
    if (static_cast<int>(now.size()) == count - 1) {
      if (rest > most) return;
      now.push_back(rest);
      if (best.empty() || closer(now, best)) best = now;
      now.pop_back();
      return;
    }
    for (int factor = 1; factor <= std::min(rest, most); ++factor) {
      if (rest % factor != 0) continue;
      now.push_back(factor);
      search(rest / factor, factor);
      now.pop_back();
    }
  };
  search(product, product);
  return best;
}

TEST(Grid, FactorsAreTheMostSquareOnesUpTo4096) {
  for (int product = 1; product <= 4096; ++product) {
    for (const int count : {1, 2, 3, 4}) {
      ASSERT_EQ(balanced_factors(product, count), exhaustive(product, count)) << product << " into " << count;
    }
  }
}

TEST(Grid, KnownExamples) {
  EXPECT_EQ(balanced_factors(6, 2), (Dims{3, 2}));
  EXPECT_EQ(balanced_factors(7, 2), (Dims{7, 1}));
  EXPECT_EQ(balanced_factors(2048, 3), (Dims{16, 16, 8}));
  EXPECT_EQ(balanced_factors(7488, 3), (Dims{26, 18, 16}));  // not 24 * 24 * 13
  EXPECT_EQ(balanced_factors(98784, 5), (Dims{14, 14, 9, 8, 7}));
  EXPECT_EQ(balanced_factors(1, 5), (Dims{1, 1, 1, 1, 1}));
  EXPECT_TRUE(balanced_factors(1, 0).empty());
}

TEST(Grid, LargeNumbersAndManyDimensionsTakeNoTime) {
  for (const int product : {2147483647, 1 << 30, 735134400, 1396755360}) {
    for (const int count : {2, 3, 7, 20}) {
      const Dims dims = balanced_factors(product, count);
      ASSERT_EQ(dims.size(), static_cast<std::size_t>(count));
      EXPECT_EQ(std::accumulate(dims.begin(), dims.end(), 1LL, std::multiplies<>()), product);
      EXPECT_TRUE(std::ranges::is_sorted(dims, std::greater<>()));
    }
  }
}

}  // namespace
}  // namespace bowline::comm
