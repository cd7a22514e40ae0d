// SPDX-License-Identifier: BSD-3-Clause
// mpiio/collective: how the members of a collective read choose between windows and their own pieces.
#include "mpiio/collective/read_choice.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace bowline::mpiio {
namespace {

constexpr std::int64_t range = 1 << 20;

/// The summary of a read of pieces with this mean length.
Summary reading(std::int64_t piece, std::int64_t time = 0) {
  return {.failed = 2,
          .begin = 0,
          .end = range,
          .individual = 0,
          .spans = 2 * range,
          .pieces = 8,
          .looked = 8 * piece,
          .granule = 1,
          .time = time};
}

/// Two members that read again and again. Only the sum of their times counts: one of them waits for the other.
class Members {
 public:
  /// The answer of both members, who then take this time for the read.
  bool read(std::int64_t piece, std::int64_t by_windows, std::int64_t by_pieces, bool timed = true) {
    const Summary all = reading(piece, first_.take_time() + second_.take_time());
    first_.learn(all);
    second_.learn(all);
    const bool windows = first_.by_windows(all, true, timed);
    EXPECT_EQ(second_.by_windows(all, true, timed), windows);
    const std::int64_t each = windows ? by_windows : by_pieces;
    first_.took(std::chrono::nanoseconds(each / 2));
    second_.took(std::chrono::nanoseconds(each + each / 2));
    return windows;
  }
  bool read_often(std::int64_t piece, std::int64_t by_windows, std::int64_t by_pieces) {
    bool last = true;
    for (int i = 0; i < 32; ++i) last = read(piece, by_windows, by_pieces);
    return last;
  }

 private:
  ReadChoice first_, second_;
};

TEST(ReadChoice, TakesWhatTakesLessTime) {
  Members members;
  EXPECT_TRUE(members.read(4096, 2000, 1000));
  EXPECT_FALSE(members.read_often(4096, 2000, 1000));
  EXPECT_TRUE(Members().read_often(4096, 1000, 2000));
}

TEST(ReadChoice, HasAnAnswerForEachClassOfLengths) {
  Members members;
  EXPECT_FALSE(members.read_often(2048, 2000, 1000));
  EXPECT_TRUE(members.read_often(8192, 1000, 2000));
  EXPECT_FALSE(members.read_often(3000, 2000, 1000));
}

TEST(ReadChoice, KeepsTheGuessForVeryShortAndLongPieces) {
  Members members;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(members.read(1023, 2000, 1000) && members.read(65536, 2000, 1000));
}

TEST(ReadChoice, TriesNothingInReadsThatNobodyTimes) {
  Members members;
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(members.read(4096, 2000, 1000, false));
  EXPECT_FALSE(members.read_often(4096, 2000, 1000));
  EXPECT_FALSE(members.read(4096, 2000, 1000, false));
}

TEST(ReadChoice, FollowsAChangeOfTheMachine) {
  Members members;
  EXPECT_FALSE(members.read_often(4096, 2000, 1000));
  bool windows = false;
  for (int i = 0; i < 4096 && !windows; ++i) windows = members.read(4096, 2000, 5000);
  EXPECT_TRUE(windows);
}

TEST(ReadChoice, ForgetsAReadThatNoMemberHasFinished) {
  ReadChoice choice;
  for (int i = 0; i < 100; ++i) {
    choice.learn(reading(4096));
    EXPECT_TRUE(choice.by_windows(reading(4096), true, true));
  }
}

}  // namespace
}  // namespace bowline::mpiio
