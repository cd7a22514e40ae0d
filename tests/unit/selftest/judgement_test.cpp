// SPDX-License-Identifier: BSD-3-Clause
// How the self-test judges figures, and how it says them.
#include "launcher/selftest/judgement.hpp"

#include <gtest/gtest.h>

namespace bowline::launcher {
namespace {

TEST(SelftestJudgement, ARateIsSlowBelowItsPartOfWhatIsPossible) {
  const Possible possible{10000, "that a copy in memory reaches"};
  const SelftestRow good = judge_rate("a", 2500, possible, 0.25, "mend it");
  EXPECT_EQ(good.grade, Grade::ok);
  EXPECT_EQ(good.advice, "");
  const SelftestRow slow = judge_rate("a", 2499, possible, 0.25, "mend it");
  EXPECT_EQ(slow.grade, Grade::slow);
  EXPECT_EQ(slow.advice, "mend it");
}

TEST(SelftestJudgement, ATimeIsSlowBeyondItsMultiple) {
  EXPECT_EQ(judge_time("a", 5.0, {1, ""}, 5, "x").grade, Grade::ok);
  EXPECT_EQ(judge_time("a", 5.1, {1, ""}, 5, "x").grade, Grade::slow);
}

TEST(SelftestJudgement, WithoutAFigureItFailedAndSaysWhatToDo) {
  for (const std::optional<double> nothing : {std::optional<double>{}, std::optional<double>{0}}) {
    EXPECT_EQ(judge_rate("a", nothing, {1, ""}, 1, "x").grade, Grade::failed);
    EXPECT_FALSE(judge_time("a", nothing, {1, ""}, 1, "x").advice.empty());
  }
}

TEST(SelftestJudgement, WhereNothingIsKnownToBePossibleEveryFigureIsGood) {
  const SelftestRow row = judge_rate("a", 0.001, {}, 1, "x");
  EXPECT_EQ(row.grade, Grade::ok);
  EXPECT_EQ(row.possible, "");
}

TEST(SelftestJudgement, Texts) {
  EXPECT_EQ(rate_text(13724.3), "13.7 GB/s");
  EXPECT_EQ(rate_text(481.2), "481 MB/s");
  EXPECT_EQ(rate_text(1.25), "1.2 MB/s");
  EXPECT_EQ(time_text(0.204), "0.20 us");
  EXPECT_EQ(time_text(3633), "3633 us");
  EXPECT_EQ(time_text(36330), "36.3 ms");
  EXPECT_EQ(time_text(2.5e6), "2.5 s");
  EXPECT_EQ(bytes_text(8), "8 bytes");
  EXPECT_EQ(bytes_text(65536), "64 KiB");
  EXPECT_EQ(line_of({Grade::failed, "a file", "wrong data", "", "x"}),
            "FAILED  a file                                               wrong data");
  EXPECT_EQ(line_of({Grade::ok, "a", "1.0 GB/s", "2.0 GB/s that is", ""}),
            "ok      a                                                      1.0 GB/s  of 2.0 GB/s that is");
}

}  // namespace
}  // namespace bowline::launcher
