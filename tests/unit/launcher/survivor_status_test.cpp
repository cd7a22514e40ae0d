// SPDX-License-Identifier: BSD-3-Clause
// The exit status of a job that goes on when ranks are lost.
#include "launcher/job/survivor_status.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <vector>

namespace bowline::launcher {
namespace {

struct RankEnd {
  int status;  ///< as from waitpid()
  bool initialized;
};

constexpr RankEnd ended_well{0, false}, ended_by_kill{SIGKILL, true}, ended_by_crash{SIGSEGV, true},
    left_early{0, true};
constexpr RankEnd ended_with(int code, bool initialized) {
  return {code << 8, initialized};
}

int status_of(const std::vector<RankEnd>& ends) {
  SurvivorStatus status;
  for (const RankEnd& end : ends) status.add(end.status, end.initialized);
  return status.status();
}

TEST(SurvivorStatus, LostRanksDoNotCount) {
  EXPECT_EQ(status_of({}), 0);
  EXPECT_EQ(status_of({ended_well, ended_well}), 0);
  EXPECT_EQ(status_of({ended_well, ended_by_kill}), 0);
  EXPECT_EQ(status_of({ended_by_crash, left_early, ended_well}), 0);
}

TEST(SurvivorStatus, TheHighestExitStatusCounts) {
  EXPECT_EQ(status_of({ended_well, ended_with(3, false), ended_by_kill}), 3);
  EXPECT_EQ(status_of({ended_with(3, false), ended_with(7, true), ended_with(5, false), ended_well}), 7);
  EXPECT_EQ(status_of({ended_by_kill, ended_with(1, true)}), 1);
}

TEST(SurvivorStatus, NobodyIsLeft) {
  EXPECT_EQ(status_of({ended_by_kill, ended_by_crash}), 128 + SIGKILL);
  EXPECT_EQ(status_of({ended_by_crash, ended_by_kill}), 128 + SIGSEGV);
  EXPECT_EQ(status_of({left_early}), 1);
}

TEST(SurvivorStatus, KnowsWhetherARankWasLost) {
  SurvivorStatus status;
  status.add(0, false);
  status.add(3 << 8, false);
  EXPECT_FALSE(status.has_lost());
  status.add(3 << 8, true);
  EXPECT_TRUE(status.has_lost());
}

}  // namespace
}  // namespace bowline::launcher
