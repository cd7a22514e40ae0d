// SPDX-License-Identifier: BSD-3-Clause
// base/number: there and back, and what is no number.
#include "base/number.hpp"

#include <gtest/gtest.h>

namespace bowline {
namespace {

TEST(Number, UnitsArePowersOf1024) {
  EXPECT_EQ(parse_number("0"), 0);
  EXPECT_EQ(parse_number("-7"), -7);
  EXPECT_EQ(parse_number("12k"), 12 << 10);
  EXPECT_EQ(parse_number("3M"), 3 << 20);
  EXPECT_EQ(parse_number("5g"), std::int64_t{5} << 30);
}

TEST(Number, AnythingElseIsNone) {
  for (const char* text :
       {"", "K", "1KB", "1 K", " 1", "1.5", "0x10", "-", "99999999999999999999", "9223372036854775807K"})
    EXPECT_FALSE(parse_number(text)) << text;
}

TEST(Number, TheTextIsTheShortestThatIsReadAsTheNumber) {
  EXPECT_EQ(number_text(0), "0");
  EXPECT_EQ(number_text(1023), "1023");
  EXPECT_EQ(number_text(1024), "1K");
  EXPECT_EQ(number_text(1536), "1536");
  EXPECT_EQ(number_text(std::size_t{1} << 20), "1M");
  EXPECT_EQ(number_text(std::size_t{1} << 50), "1048576G");
  for (const std::size_t number : {std::size_t{0}, std::size_t{999}, std::size_t{64} << 10, std::size_t{3} << 41})
    EXPECT_EQ(parse_number(number_text(number)), static_cast<std::int64_t>(number));
}

}  // namespace
}  // namespace bowline
