// SPDX-License-Identifier: BSD-3-Clause
// comm/index_space: which indices are free, and that a class is offered to one agreement at a time.
#include "comm/index_space.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace bowline::comm {
namespace {

int count(const IndexSpace::Bits& bits) {
  int sum = 0;
  for (const std::uint64_t word : bits) sum += std::popcount(word);
  return sum;
}

TEST(IndexSpace, HasEachIndexInOneClass) {
  std::set<std::uint32_t> seen;
  for (std::uint32_t c = 0; c < IndexSpace::classes; ++c) {
    for (std::uint32_t bit = 0; bit < IndexSpace::class_size; ++bit) seen.insert(IndexSpace::index(c, bit));
  }
  EXPECT_EQ(seen.size(), IndexSpace::size);
  EXPECT_EQ(*seen.rbegin(), IndexSpace::size - 1);
}

TEST(IndexSpace, ThePredefinedOnesAreInUse) {
  IndexSpace space;
  for (const std::uint32_t c : {IndexSpace::world, IndexSpace::self, IndexSpace::meeting_place}) {
    const auto free = space.hold(c);
    ASSERT_TRUE(free);
    EXPECT_EQ((*free)[0] & 1, 0U);
    EXPECT_EQ(count(*free), static_cast<int>(IndexSpace::class_size) - 1);
  }
}

TEST(IndexSpace, AHeldClassIsOfferedToNobodyElse) {
  IndexSpace space;
  EXPECT_TRUE(space.hold(7));
  EXPECT_FALSE(space.hold(7));
  EXPECT_TRUE(space.hold(8));
  space.let_go(7);
  EXPECT_TRUE(space.hold(7));
}

TEST(IndexSpace, WhatIsTakenIsFreeAgainWhenItIsGivenBack) {
  IndexSpace space;
  const std::uint32_t index = IndexSpace::index(7, 100);
  space.take(index);
  auto free = space.hold(7);
  ASSERT_TRUE(free);
  EXPECT_EQ((*free)[1] >> 36 & 1, 0U);
  EXPECT_EQ(count(*free), static_cast<int>(IndexSpace::class_size) - 1);
  space.let_go(7);
  space.give_back(index);
  free = space.hold(7);
  ASSERT_TRUE(free);
  EXPECT_EQ(count(*free), static_cast<int>(IndexSpace::class_size));
}

TEST(IndexSpace, OffersNothingPastItsLimit) {
  IndexSpace space(2);
  space.take(IndexSpace::index(7, 0));
  space.take(IndexSpace::index(9, 0));
  auto free = space.hold(11);
  ASSERT_TRUE(free);
  EXPECT_EQ(count(*free), 0);
  space.let_go(11);
  space.give_back(IndexSpace::index(9, 0));
  free = space.hold(11);
  ASSERT_TRUE(free);
  EXPECT_EQ(count(*free), static_cast<int>(IndexSpace::class_size));
}

}  // namespace
}  // namespace bowline::comm
