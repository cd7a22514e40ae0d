// SPDX-License-Identifier: BSD-3-Clause
// wireup/rank_list: the lists that PMIx servers write, and the sentence for what is none.
#include "wireup/rank_list.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace bowline::wireup {
namespace {

TEST(RankList, SingleRanks) {
  EXPECT_EQ(parse_ranks("0"), (std::vector{0}));
  EXPECT_EQ(parse_ranks("0,1,2"), (std::vector{0, 1, 2}));
  EXPECT_EQ(parse_ranks("12345"), (std::vector{12345}));
}

TEST(RankList, Ranges) {
  EXPECT_EQ(parse_ranks("0-3"), (std::vector{0, 1, 2, 3}));
  EXPECT_EQ(parse_ranks("0-3,7"), (std::vector{0, 1, 2, 3, 7}));
  EXPECT_EQ(parse_ranks("1,4-6,9-9"), (std::vector{1, 4, 5, 6, 9}));
  std::vector<int> many(1000);
  std::iota(many.begin(), many.end(), 0);
  EXPECT_EQ(parse_ranks("0-999"), many);
}

TEST(RankList, AscendingAndEachOnce) {
  EXPECT_EQ(parse_ranks("7,0-3"), (std::vector{0, 1, 2, 3, 7}));
  EXPECT_EQ(parse_ranks("2,1,0"), (std::vector{0, 1, 2}));
  EXPECT_EQ(parse_ranks("1,1,0-2"), (std::vector{0, 1, 2}));
}

TEST(RankList, WhatIsNoListIsNamed) {
  for (const char* text : {"", ",", "0,", ",0", "0,,1", "a", "0;1", "0-", "-3", "3-1", "0--3", "0-3-5", "0 ,1", " 0",
                           "1.5", "99999999999", "0x1"}) {
    try {
      parse_ranks(text);
      ADD_FAILURE() << "\"" << text << "\" was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::other);
      EXPECT_NE(std::string(error.what()).find("\"" + std::string(text) + "\""), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace bowline::wireup
