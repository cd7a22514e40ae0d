// SPDX-License-Identifier: BSD-3-Clause
// base/error: every error class of MPI-5.0 has one sentence, and no other number has one.
#include "base/error.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace bowline {
namespace {

std::string name_in(ErrorClass error_class) {
  const std::string text = describe(error_class);
  return text.substr(0, text.find(':'));
}

TEST(Error, EveryClassHasItsOwnSentence) {
  const int last = static_cast<int>(ErrorClass::last_predefined);
  std::set<std::string> names;
  for (int number = 0; number <= last; ++number) {
    const char* const text = describe(ErrorClass{number});
    ASSERT_NE(text, nullptr) << number;
    EXPECT_TRUE(std::string(text).starts_with("MPI_")) << text;
    EXPECT_LT(std::string(text).find(": "), std::string(text).size() - 2) << text;
    EXPECT_LT(std::string(text).size(), 512U) << "MPI_MAX_ERROR_STRING";
    names.insert(name_in(ErrorClass{number}));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
}

TEST(Error, NoSentenceBeyondTheClasses) {
  EXPECT_EQ(describe(ErrorClass{static_cast<int>(ErrorClass::last_predefined) + 1}), nullptr);
  EXPECT_EQ(describe(ErrorClass{-1}), nullptr);
  EXPECT_EQ(describe(ErrorClass{1 << 30}), nullptr);
}

TEST(Error, SentencesStandAtTheirNumbers) {
  EXPECT_EQ(name_in(ErrorClass::success), "MPI_SUCCESS");
  EXPECT_EQ(name_in(ErrorClass::buffer), "MPI_ERR_BUFFER");
  EXPECT_EQ(name_in(ErrorClass::truncate), "MPI_ERR_TRUNCATE");
  EXPECT_EQ(name_in(ErrorClass::in_status), "MPI_ERR_IN_STATUS");
  EXPECT_EQ(name_in(ErrorClass::file), "MPI_ERR_FILE");
  EXPECT_EQ(name_in(ErrorClass::info), "MPI_ERR_INFO");
  EXPECT_EQ(name_in(ErrorClass::no_mem), "MPI_ERR_NO_MEM");
  EXPECT_EQ(name_in(ErrorClass::no_space), "MPI_ERR_NO_SPACE");
  EXPECT_EQ(name_in(ErrorClass::unsupported_operation), "MPI_ERR_UNSUPPORTED_OPERATION");
  EXPECT_EQ(name_in(ErrorClass::win), "MPI_ERR_WIN");
  EXPECT_EQ(name_in(ErrorClass::proc_aborted), "MPI_ERR_PROC_ABORTED");
  EXPECT_EQ(name_in(ErrorClass::session), "MPI_ERR_SESSION");
  EXPECT_EQ(name_in(ErrorClass::errhandler), "MPI_ERR_ERRHANDLER");
  EXPECT_EQ(name_in(ErrorClass::last_predefined), "MPI_ERR_ABI");
}

TEST(Error, CarriesClassAndText) {
  const Error error(ErrorClass::tag, "tag is -5");
  EXPECT_EQ(error.error_class(), ErrorClass::tag);
  EXPECT_STREQ(error.what(), "tag is -5");
}

}  // namespace
}  // namespace bowline
