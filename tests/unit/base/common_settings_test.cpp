// SPDX-License-Identifier: BSD-3-Clause
// The tunables that all ranks must set alike, in words and as a number.
#include "base/common_settings.hpp"

#include <gtest/gtest.h>

#include "base/tunable.hpp"

namespace bowline {
namespace {

Tunable<int> common(TunableTraits(Category::collectives).equal_at_all(), "test_common", 3, 0, 9, "for this test");
TextTunable common_text(TunableTraits(Category::collectives).equal_at_all(), "test_common_text", "a text", "likewise");
Tunable<int> own(Category::collectives, "test_own", 3, 0, 9, "may differ between ranks");

TEST(CommonSettings, NothingIsSaidOfDefaults) {
  own.set("5");
  EXPECT_EQ(common_settings_in_words(), "");
  EXPECT_EQ(digest_of_common_settings(), 0U);
  common.set("4");
  const std::uint64_t four = digest_of_common_settings();
  EXPECT_NE(four, 0U);
  EXPECT_EQ(common_settings_in_words(), common.environment_name() + "=4");
  common_text.set("x y");
  EXPECT_EQ(common_settings_in_words(), common.environment_name() + "=4 " + common_text.environment_name() + "=x y");
  EXPECT_NE(digest_of_common_settings(), four);
  common_text.set("");
  EXPECT_EQ(digest_of_common_settings(), four);
  common.set("3");
  EXPECT_EQ(digest_of_common_settings(), 0U);
}

TEST(CommonSettings, AreNamed) {
  EXPECT_EQ(names_of_common_settings(), common.environment_name() + " and " + common_text.environment_name());
}

}  // namespace
}  // namespace bowline
