// SPDX-License-Identifier: BSD-3-Clause
// Whatever pieces a stream comes in, whole lines leave.
#include "launcher/lines.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bowline::launcher {
namespace {

std::string add(LineCutter& cutter, std::string_view bytes) {
  std::string out;
  cutter.add(bytes, out);
  return out;
}

std::string finish(LineCutter& cutter) {
  std::string out;
  cutter.finish(out);
  return out;
}

TEST(Lines, HoldsBackTheUnfinishedLine) {
  LineCutter cutter("");
  EXPECT_EQ(add(cutter, "one\ntwo\nthr"), "one\ntwo\n");
  EXPECT_EQ(add(cutter, "ee"), "");
  EXPECT_EQ(add(cutter, "\nfour"), "three\n");
  EXPECT_EQ(finish(cutter), "four");
  EXPECT_EQ(finish(cutter), "");
}

TEST(Lines, TagsEachLine) {
  LineCutter cutter("[1] ");
  EXPECT_EQ(add(cutter, "one\n\nthr"), "[1] one\n[1] \n");
  EXPECT_EQ(add(cutter, "ee\nlast"), "[1] three\n");
  EXPECT_EQ(finish(cutter), "[1] last\n");
}

TEST(Lines, PassesAnyBytes) {
  LineCutter cutter("");
  const std::string bytes("\0a\0\xff\n\0", 6);
  std::string out;
  cutter.add(bytes, out);
  cutter.finish(out);
  EXPECT_EQ(out, bytes);
}

TEST(Lines, ShowsAPromptOnceAndTagsItsLineOnce) {
  LineCutter cutter("[0] ");
  EXPECT_EQ(add(cutter, "name? "), "");
  std::string shown;
  cutter.show_partial(shown);
  EXPECT_EQ(shown, "[0] name? ");
  EXPECT_EQ(add(cutter, "rest\nnext\n"), "rest\n[0] next\n");
  EXPECT_EQ(finish(cutter), "");
}

TEST(Lines, MemoryIsBounded) {
  LineCutter cutter("");
  const std::string piece(1 << 16, 'x');
  size_t passed = 0;
  for (size_t i = 1; i <= 64; ++i) {
    passed += add(cutter, piece).size();
    ASSERT_LE(piece.size() * i - passed, LineCutter::longest_line);
  }
  passed += finish(cutter).size();
  EXPECT_EQ(passed, piece.size() * 64);
}

TEST(Lines, RandomPiecesGiveTheSameBytes) {
  std::mt19937 random(7);
  std::string all;
  for (int i = 0; i < 20000; ++i) all += random() % 5 == 0 ? '\n' : static_cast<char>('a' + random() % 26);
  LineCutter cutter("");
  std::string out;
  for (size_t begin = 0; begin < all.size();) {
    const size_t size = random() % 70;
    cutter.add(std::string_view(all).substr(begin, size), out);
    ASSERT_TRUE(out.empty() || out.back() == '\n');
    begin += size;
  }
  cutter.finish(out);
  EXPECT_EQ(out, all);
}

}  // namespace
}  // namespace bowline::launcher
