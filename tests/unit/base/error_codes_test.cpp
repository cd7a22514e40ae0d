// SPDX-License-Identifier: BSD-3-Clause
// base/error_codes: classes, codes and strings that a program adds and removes.
#include "base/error_codes.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace bowline {
namespace {

TEST(ErrorCodes, NumbersBeginBehindThoseOfMpi) {
  ErrorCodes codes;
  EXPECT_EQ(codes.last_used(), ErrorCodes::last_predefined);
  const int added = codes.add_class();
  EXPECT_GT(added, ErrorCodes::last_predefined);
  EXPECT_EQ(codes.last_used(), added);
  EXPECT_EQ(codes.class_of(added), added);
  const int code = codes.add_code(added);
  EXPECT_GT(code, added);
  EXPECT_EQ(codes.class_of(code), added);
  EXPECT_EQ(codes.class_of(codes.add_code(static_cast<int>(ErrorClass::tag))), static_cast<int>(ErrorClass::tag));
}

TEST(ErrorCodes, StringsAreEmptyUntilTheyAreSet) {
  ErrorCodes codes;
  const int added = codes.add_class();
  EXPECT_EQ(codes.string_of(added), "");
  EXPECT_THROW(codes.remove_string(added), Error);
  codes.set_string(added, "no coffee");
  EXPECT_EQ(codes.string_of(added), "no coffee");
  codes.remove_string(added);
  EXPECT_EQ(codes.string_of(added), "");
  EXPECT_NE(codes.string_of(0), std::nullopt);
  EXPECT_EQ(codes.string_of(added + 1), std::nullopt);
  EXPECT_EQ(codes.class_of(-1), std::nullopt);
}

TEST(ErrorCodes, OnlyWhatWasAddedCanBeChanged) {
  ErrorCodes codes;
  EXPECT_THROW(codes.set_string(static_cast<int>(ErrorClass::tag), "mine"), Error);
  EXPECT_THROW(codes.remove_class(static_cast<int>(ErrorClass::tag)), Error);
  EXPECT_THROW(codes.add_code(ErrorCodes::last_predefined), Error);
  const int added = codes.add_class();
  const int code = codes.add_code(added);
  EXPECT_THROW(codes.add_code(code), Error);
  EXPECT_THROW(codes.remove_code(added), Error);
  EXPECT_THROW(codes.remove_class(code), Error);
  EXPECT_THROW(codes.remove_class(added), Error);  // it still has a code
  codes.set_string(code, "mine");
  EXPECT_THROW(codes.remove_code(code), Error);  // it still has a string
  EXPECT_EQ(codes.string_of(code), "mine");
  codes.remove_string(code);
  codes.remove_code(code);
  codes.set_string(added, "ours");
  EXPECT_THROW(codes.remove_class(added), Error);  // it still has a string
  EXPECT_EQ(codes.string_of(added), "ours");
  codes.remove_string(added);
  codes.remove_class(added);
  EXPECT_EQ(codes.class_of(added), std::nullopt);
  EXPECT_EQ(codes.last_used(), ErrorCodes::last_predefined);
}

}  // namespace
}  // namespace bowline
