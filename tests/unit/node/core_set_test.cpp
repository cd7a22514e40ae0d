// SPDX-License-Identifier: BSD-3-Clause
// Sets of cores: the kernel's lists, and what sets have in common.
#include "node/core_set.hpp"

#include <gtest/gtest.h>

namespace {

using bowline::node::Cores;
using bowline::node::cores_in;

TEST(Cores, AListNamesCoresAndRanges) {
  Cores expected;
  for (const int core : {0, 1, 2, 3, 8, 130}) expected.add(core);
  EXPECT_EQ(cores_in("0-3,8,130"), expected);
  EXPECT_EQ(cores_in("130,8,3,2,1,0-0"), expected);
}

TEST(Cores, WhatIsNoListEndsIt) {
  for (const char* const text : {"", "\n", "none", "-1", ",3", "5-3"}) EXPECT_TRUE(cores_in(text).empty()) << text;
  for (const char* const text : {"4\n", "4,", "4,x", "4 5", "4-4:2"}) EXPECT_EQ(cores_in(text), cores_in("4")) << text;
}

TEST(Cores, TheFirstIsTheLowest) {
  EXPECT_EQ(cores_in("").first(), -1);
  EXPECT_EQ(cores_in("200,70-71").first(), 70);
}

TEST(Cores, SetsOfDifferentLengthsAreCompared) {
  const Cores low = cores_in("1-2"), high = cores_in("100"), both = cores_in("1-2,100");
  EXPECT_FALSE(low.intersects(high) || high.intersects(low));
  EXPECT_TRUE(low.intersects(both) && both.intersects(high));
  EXPECT_TRUE(low.is_within(both) && high.is_within(both) && both.is_within(both));
  EXPECT_FALSE(both.is_within(low) || both.is_within(high) || high.is_within(low));
  EXPECT_TRUE(cores_in("").is_within(low) && cores_in("").is_within(cores_in("")));
  Cores joined = low;
  EXPECT_EQ(joined |= high, both);
  joined = high;
  EXPECT_EQ(joined |= low, both);
}

}  // namespace
