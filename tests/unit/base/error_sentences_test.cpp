// SPDX-License-Identifier: BSD-3-Clause
// base/error_sentences: each thread's last failed call, and texts that are cut between characters.
#include "base/error_sentences.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace bowline {
namespace {

TEST(ThreadsErrorSentences, EachThreadHasItsOwn) {
  remember_errors({{4, "the first"}, {15, "another"}, {15, "the same code again"}});
  ASSERT_NE(sentence_of(4), nullptr);
  EXPECT_EQ(*sentence_of(4), "the first");
  EXPECT_EQ(*sentence_of(15), "another");
  EXPECT_EQ(sentence_of(0), nullptr);
  std::thread([] {
    EXPECT_EQ(sentence_of(4), nullptr);
    remember_errors({{4, "of this thread"}});
    EXPECT_EQ(*sentence_of(4), "of this thread");
  }).join();
  EXPECT_EQ(*sentence_of(4), "the first");
  remember_errors({{6, "later"}});
  EXPECT_EQ(sentence_of(4), nullptr);
  EXPECT_EQ(*sentence_of(6), "later");
}

TEST(ErrorSentences, TextsAreCutBetweenCharacters) {
  EXPECT_EQ(cut_text("abc", 3), "abc");
  EXPECT_EQ(cut_text("abcd", 3), "abc");
  EXPECT_EQ(cut_text("ab\xc3\xa9", 3), "ab");
  EXPECT_EQ(cut_text("a\xc3\xa9z", 3), "a\xc3\xa9");
  EXPECT_EQ(cut_text("\xf0\x9f\x9a\xa2", 3), "");
}

}  // namespace
}  // namespace bowline
