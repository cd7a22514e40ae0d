// SPDX-License-Identifier: BSD-3-Clause
// base/info: order of keys, replacing, removing.
#include "base/info.hpp"

#include <gtest/gtest.h>

namespace bowline {
namespace {

TEST(Info, KeysKeepTheOrderOfTheirFirstSetting) {
  Info info;
  info.set("b", "1");
  info.set("a", "2");
  info.set("b", "3");
  ASSERT_EQ(info.size(), 2U);
  EXPECT_EQ(info.key(0), "b");
  EXPECT_EQ(info.key(1), "a");
  EXPECT_EQ(*info.find("b"), "3");
  EXPECT_EQ(info.find("c"), nullptr);
}

TEST(Info, RemovedKeysAreGone) {
  Info info;
  info.set("a", "1");
  info.set("b", "2");
  EXPECT_TRUE(info.remove("a"));
  EXPECT_FALSE(info.remove("a"));
  ASSERT_EQ(info.size(), 1U);
  EXPECT_EQ(info.key(0), "b");
}

}  // namespace
}  // namespace bowline
