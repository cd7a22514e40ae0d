// SPDX-License-Identifier: BSD-3-Clause
// base/tunable: values from text, ranges, the environment, and the sentences for what is not allowed.
#include "base/tunable.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "base/error.hpp"

namespace bowline {
namespace {

Tunable<int> whole(Category::start, "test_whole", 10, -5, 4096, "a whole number");
Tunable<std::size_t> bytes(Category::start, "test_bytes", 64, 8, std::size_t{3} << 30, "a number of bytes");
Tunable<bool> flag(Category::start, "test_flag", true, false, true, "yes or no");

TextTunable words(Category::start, "test_words", "any words", "a text");

std::string refusal(TunableBase& tunable, const std::string& text) {
  const std::string before = tunable.value_text();
  try {
    tunable.set(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::arg);
    EXPECT_EQ(tunable.value_text(), before) << "a refused value changed the tunable";
    return error.what();
  }
  ADD_FAILURE() << "\"" << text << "\" was taken";
  return "";
}

/// Sets a variable of the environment for the life of the object.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

std::string warnings_of_loading() {
  testing::internal::CaptureStderr();
  tunables::load_environment();
  tunables::warn_of_unknown_names();
  return testing::internal::GetCapturedStderr();
}

TEST(Tunable, StartsWithItsDefault) {
  EXPECT_EQ(whole.value(), 10);
  EXPECT_EQ(whole.value_text(), "10");
  EXPECT_EQ(whole.default_text(), "10");
  EXPECT_EQ(whole.range_text(), "-5 to 4096");
  EXPECT_EQ(whole.help(), "a whole number");
  EXPECT_EQ(whole.environment_name(), "BOWLINE_TEST_WHOLE");
}

TEST(Tunable, TakesEveryValueInItsRange) {
  for (int value = -5; value <= 4096; ++value) {
    whole.set(std::to_string(value));
    ASSERT_EQ(whole.value(), value);
  }
  EXPECT_EQ(whole.default_text(), "10");
}

TEST(Tunable, TakesUnits) {
  const auto value_of = [](const char* text) {
    bytes.set(text);
    return bytes.value();
  };
  EXPECT_EQ(value_of("8"), 8U);
  EXPECT_EQ(value_of("3K"), 3U << 10);
  EXPECT_EQ(value_of("3k"), 3U << 10);
  EXPECT_EQ(value_of("7M"), 7U << 20);
  EXPECT_EQ(value_of("7m"), 7U << 20);
  EXPECT_EQ(value_of("3G"), std::size_t{3} << 30);
  EXPECT_EQ(value_of("2g"), std::size_t{2} << 30);
}

TEST(Tunable, TakesFlagsAsZeroAndOne) {
  flag.set("0");
  EXPECT_FALSE(flag.value());
  flag.set("1");
  EXPECT_TRUE(flag.value());
  refusal(flag, "2");
}

TEST(Tunable, TakesTextAsItIs) {
  EXPECT_EQ(words.value(), "");
  words.set(" a=b, c ");
  EXPECT_EQ(words.value(), " a=b, c ");
  EXPECT_EQ(words.value_text(), " a=b, c ");
  EXPECT_EQ(words.default_text(), "");
  EXPECT_EQ(words.range_text(), "any words");
}

TEST(Tunable, RefusesWhatIsOutOfRange) {
  refusal(whole, "-6");
  refusal(whole, "4097");
  refusal(whole, "5K");
  refusal(bytes, "7");
  refusal(bytes, "-1");
  refusal(bytes, "4G");
  refusal(bytes, "9223372036854775807");
  refusal(bytes, "99999999999999999999");
  refusal(bytes, "9223372036854775807G");
}

TEST(Tunable, RefusesWhatIsNoNumber) {
  for (const char* text :
       {"", " ", "K", "x", "12x", "12KB", "1 K", " 12", "12 ", "1.5", "0x10", "1e3", "-", "+12", "KK"}) {
    refusal(bytes, text);
    refusal(whole, text);
  }
}

TEST(Tunable, TheSentenceNamesVariableValueAndRange) {
  const std::string text = refusal(whole, "12KB");
  EXPECT_NE(text.find("BOWLINE_TEST_WHOLE"), std::string::npos) << text;
  EXPECT_NE(text.find("\"12KB\""), std::string::npos) << text;
  EXPECT_NE(text.find("-5 to 4096"), std::string::npos) << text;
  EXPECT_NE(text.find("K, M, G"), std::string::npos) << text;
}

TEST(Tunable, AllAreFoundSortedByName) {
  const auto all = TunableBase::all();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &TunableBase::name));
  EXPECT_EQ(std::ranges::adjacent_find(all, {}, &TunableBase::name), all.end()) << "two tunables of one name";
  for (const TunableBase* tunable : {static_cast<TunableBase*>(&whole), static_cast<TunableBase*>(&bytes)}) {
    EXPECT_EQ(std::ranges::count(all, tunable), 1);
  }
}

TEST(Tunable, DefaultsLieInTheirRanges) {
  for (TunableBase* tunable : TunableBase::all()) EXPECT_NO_THROW(tunable->set(tunable->default_text()));
}

TEST(Tunable, TheEnvironmentSetsValues) {
  const Variable variable("BOWLINE_TEST_BYTES", "5K");
  EXPECT_EQ(warnings_of_loading(), "");
  EXPECT_EQ(bytes.value(), 5U << 10);
}

TEST(Tunable, ABadValueInTheEnvironmentIsAnError) {
  const Variable variable("BOWLINE_TEST_BYTES", "lots");
  EXPECT_THROW(tunables::load_environment(), Error);
}

TEST(Tunable, AnUnknownNameGetsAWarningWithTheNearest) {
  const Variable variable("BOWLINE_TEST_BITES", "5");
  const std::string text = warnings_of_loading();
  EXPECT_NE(text.find("BOWLINE_TEST_BITES"), std::string::npos) << text;
  EXPECT_NE(text.find("BOWLINE_TEST_BYTES"), std::string::npos) << text;
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
}

TEST(Tunable, TheNearestIsNamedForShortAndEmptyNamesToo) {
  for (const char* name : {"BOWLINE_", "BOWLINE_X"}) {
    const Variable variable(name, "5");
    const std::string text = warnings_of_loading();
    EXPECT_NE(text.find("nearest: BOWLINE_"), std::string::npos) << text;
  }
}

TEST(Tunable, NamesOfOthersAreLeftAlone) {
  const Variable wrapper("BOWLINE_FC", "gfortran");
  const Variable launcher("BOWLINE_ABI", "mpich");
  const Variable testbed("BOWLINE_TESTBED", "mine");
  const Variable other("BOWLINES_TEST", "1");
  EXPECT_EQ(warnings_of_loading(), "");
}

}  // namespace
}  // namespace bowline
