// SPDX-License-Identifier: BSD-3-Clause
// What mpiexec says of the waits of ranks, and when it takes them for a deadlock.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launcher/hang/calls_report.hpp"
#include "launcher/hang/hang_watch.hpp"
#include "launcher/hang/rank_waits.hpp"
#include "launcher/hang/straggler_watch.hpp"
#include "launcher/hang/wait_report.hpp"

namespace bowline::launcher {
namespace {

using State = WaitSlot::State;
using Kind = WaitTargets::Kind;
using Clock = std::chrono::steady_clock;
using Lines = std::vector<std::string>;
using namespace std::chrono_literals;

constexpr Clock::time_point now(100s);

RankView view(RankStage stage, State state, const std::string& text = "", std::chrono::nanoseconds since = 0ns) {
  return {.stage = stage, .line = {.state = state, .text = text, .since = since.count()}};
}

RankView waiting(const std::string& text, std::chrono::nanoseconds since = 88s) {
  return view(RankStage::initialized, State::waiting, text, since);
}

/// What is said of a rank.
std::string line_of(const RankView& rank) {
  return describe_waits(std::vector{rank}, "node", now).at(0);
}

TEST(WaitReport, Sentences) {
  EXPECT_EQ(line_of(waiting("in MPI_Recv")), "rank 0 on node: in MPI_Recv, for 12.0 s");
  EXPECT_EQ(line_of(view(RankStage::started, State::waiting, "in MPI_Init for the launcher", 99960ms)),
            "rank 0 on node: in MPI_Init for the launcher, for 0.0 s");
  EXPECT_EQ(line_of(waiting("in MPI_Recv", 200s)), "rank 0 on node: in MPI_Recv, for 0.0 s");
  EXPECT_EQ(line_of(view(RankStage::initialized, State::idle)), "rank 0 on node: not waiting in MPI");
  EXPECT_EQ(line_of(view(RankStage::initialized, State::unused)), "rank 0 on node: does not say what it waits for");
  EXPECT_EQ(line_of(view(RankStage::started, State::unused)), "rank 0 on node: has not called MPI_Init");
  EXPECT_EQ(line_of(view(RankStage::finalized, State::idle)), "rank 0 on node: has called MPI_Finalize");
  EXPECT_EQ(line_of(view(RankStage::ended, State::waiting, "in MPI_Recv")), "rank 0 on node: has ended");
  EXPECT_EQ(line_of(view(RankStage::initialized, State::unreadable)),
            "rank 0 on node: stopped while it wrote what it waits for");
  RankView stopped = waiting("in MPI_Recv");
  stopped.stopped = true;
  EXPECT_EQ(line_of(stopped), "rank 0 on node: stopped by a signal or a debugger, in MPI_Recv, for 12.0 s");
}

TEST(WaitReport, RanksThatSayTheSameShareALineAndTheFewestComeFirst) {
  const std::vector<RankView> ranks{waiting("in MPI_Barrier", 90s), waiting("in MPI_Barrier", 88s),
                                    waiting("in MPI_Recv"), waiting("in MPI_Barrier", 89s),
                                    view(RankStage::initialized, State::idle)};
  EXPECT_EQ(describe_waits(ranks, "node", now),
            (Lines{"rank 2 on node: in MPI_Recv, for 12.0 s", "rank 4 on node: not waiting in MPI",
                   "ranks 0, 1 and 3 on node: in MPI_Barrier, for 10.0 to 12.0 s"}));
}

TEST(WaitReport, ThePageIsBounded) {
  std::vector<RankView> ranks;
  for (int rank = 0; rank < 100; ++rank) ranks.push_back(waiting("in MPI_Recv from rank " + std::to_string(rank)));
  const Lines lines = describe_waits(ranks, "node", now);
  EXPECT_EQ(lines.size(), 41U);
  EXPECT_EQ(lines.back(), "60 other ranks in 60 other calls");
}

TEST(WaitReport, RanksAreNamedInRanges) {
  EXPECT_EQ(name_ranks(std::vector{3}), "rank 3");
  EXPECT_EQ(name_ranks(std::vector{0, 2}), "ranks 0 and 2");
  EXPECT_EQ(name_ranks(std::vector{0, 1}), "ranks 0 and 1");
  EXPECT_EQ(name_ranks(std::vector{0, 1, 2, 3, 4, 7, 9, 10, 11}), "ranks 0 to 4, 7 and 9 to 11");
}

RankView waiting_for(Kind kind, std::vector<int> ranks, bool more = false) {
  RankView rank = waiting("in MPI_Recv");
  rank.line.targets = {.kind = kind, .more = more};
  rank.line.targets.add(ranks);
  rank.line.version = 2;
  return rank;
}

TEST(WaitReport, NamesACycle) {
  const RankView left = view(RankStage::ended, State::idle);
  const auto cycle = [](std::vector<RankView> ranks) { return describe_cycle(ranks); };
  EXPECT_EQ(cycle({waiting_for(Kind::all, {1}), waiting_for(Kind::all, {2, 0}), waiting_for(Kind::all, {1})}),
            "rank 1 waits for rank 2, rank 2 for rank 1");
  EXPECT_EQ(cycle({waiting_for(Kind::all, {0})}), "rank 0 waits for rank 0");
  EXPECT_EQ(cycle({waiting_for(Kind::all, {1}), left}), "rank 0 waits for rank 1, which has ended");
  EXPECT_EQ(cycle({waiting_for(Kind::any, {0, 1}), waiting_for(Kind::all, {0})}), "") << "rank 0 waits for any rank";
  EXPECT_EQ(cycle({waiting_for(Kind::any, {1}), waiting_for(Kind::all, {0})}),
            "rank 0 waits for rank 1, rank 1 for rank 0");
  EXPECT_EQ(cycle({waiting_for(Kind::any, {1}, true), waiting_for(Kind::outside, {})}), "");
}

/// Two ranks that wait for each other.
struct Deadlock : testing::Test {
  std::vector<RankView> ranks{waiting_for(Kind::all, {1}), waiting_for(Kind::any, {0, 1})};
  HangWatch watch{10s};

  /// All ranks write the same again.
  void look_again(std::uint32_t times = 2) {
    for (RankView& rank : ranks) rank.line.version += 2 * times;
  }
  bool judge() { return watch.look(ranks, now); }
};

TEST_F(Deadlock, IsProvenOnceAllHaveLookedAgain) {
  EXPECT_FALSE(judge());
  EXPECT_FALSE(judge()) << "nobody has looked";
  look_again(1);
  EXPECT_FALSE(judge()) << "the second line may have been begun before the first look";
  ranks[0].line.version += 2;
  EXPECT_FALSE(judge()) << "one of them has looked";
  ranks[1].line.version += 2;
  EXPECT_TRUE(judge());
}

TEST_F(Deadlock, WithARankThatHasEnded) {
  ranks.push_back(view(RankStage::ended, State::idle));
  EXPECT_FALSE(judge());
  look_again();
  EXPECT_TRUE(judge());
}

TEST_F(Deadlock, IsNoneWhileAnyRankMayAct) {
  RankView finalizing = view(RankStage::finalized, State::waiting, "in MPI_Finalize", 1s);
  const std::vector<RankView> others{view(RankStage::initialized, State::idle),
                                     view(RankStage::started, State::unused),
                                     view(RankStage::unstarted, State::unused),
                                     view(RankStage::initialized, State::unreadable),
                                     view(RankStage::finalized, State::idle),
                                     finalizing,
                                     waiting_for(Kind::outside, {}),
                                     waiting_for(Kind::all, {7}),  // of another job
                                     waiting("in MPI_Recv", 91s)};
  for (const RankView& other : others) {
    ranks.push_back(other);
    EXPECT_FALSE(judge());
    look_again();
    EXPECT_FALSE(judge());
    look_again();
    EXPECT_FALSE(judge()) << line_of(other);
    ranks.pop_back();
  }
}

TEST_F(Deadlock, IsNoneWhileAnythingHappens) {
  EXPECT_FALSE(judge());
  look_again();
  ++ranks[0].line.activity.events;
  EXPECT_FALSE(judge()) << "a message has come";
  look_again();
  ranks[1].line.since += 1;
  EXPECT_FALSE(judge()) << "it is another wait";
  look_again();
  EXPECT_TRUE(judge());
}

TEST_F(Deadlock, IsNoneWhileAMessageIsUnderWay) {
  ranks[0].line.activity.sent = 5;
  ranks[1].line.activity = {.sent = 3, .delivered = 7};
  for (int look = 0; look < 3; ++look) {
    EXPECT_FALSE(judge()) << "of 8 messages 7 have arrived";
    look_again();
  }
  ranks[0].line.activity.delivered = 1;
  EXPECT_FALSE(judge()) << "the last one has come";
  look_again();
  EXPECT_TRUE(judge());
}

TEST(StragglerWatch, NamesTheFewThatDoNotWaitOnceAndThenAfterTenTimesAsLong) {
  StragglerWatch watch(10s);
  std::vector<RankView> ranks{waiting("in MPI_Barrier"), view(RankStage::initialized, State::idle),
                              waiting("in MPI_Barrier", 89s)};
  EXPECT_EQ(watch.look(ranks, now - 2s), std::vector<int>()) << "rank 2 has waited for 9 s";
  EXPECT_EQ(watch.look(ranks, now), std::vector{1});
  EXPECT_EQ(watch.told(), 10s);
  EXPECT_EQ(watch.look(ranks, now + 80s), std::vector<int>());
  EXPECT_EQ(watch.look(ranks, now + 89s), std::vector{1});
}

TEST(StragglerWatch, SaysNothingIfAllWaitOrMostDoNot) {
  StragglerWatch watch(10s);
  const RankView idle = view(RankStage::initialized, State::idle), ended = view(RankStage::ended, State::idle);
  EXPECT_EQ(watch.look(std::vector{waiting("in MPI_Recv"), waiting("in MPI_Recv")}, now), std::vector<int>());
  EXPECT_EQ(watch.look(std::vector{waiting("in MPI_Recv"), idle, idle}, now), std::vector<int>());
  EXPECT_EQ(watch.look(std::vector{idle, ended}, now), std::vector<int>());
  EXPECT_EQ(watch.look(std::vector{waiting("in MPI_Recv"), idle, ended}, now), std::vector{1});
}

TEST_F(Deadlock, IsNoneWhenAllHaveEnded) {
  ranks.assign(2, view(RankStage::ended, State::idle));
  EXPECT_FALSE(judge());
  EXPECT_FALSE(judge());
}

TEST(RankWaits, FreshBoard) {
  const RankWaits board(3);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(board.line(rank).state, State::unused);
  const std::string variable = board.variable(2);
  const std::string name = "BOWLINE_WAIT_BOARD=";
  ASSERT_TRUE(variable.starts_with(name));
  const auto ticket = WaitBoardTicket::parse(std::string_view(variable).substr(name.size()));
  ASSERT_TRUE(ticket.has_value());
  EXPECT_EQ(ticket->descriptor, board.descriptor());
  EXPECT_EQ(ticket->slot, 2U);
  EXPECT_NE(ftruncate(board.descriptor(), 0), 0) << "no rank can cut it off under the others";
}

TEST(CallsReport, NamesTheFewestFirst) {
  using Calls = std::vector<std::optional<WaitSlot::CallsMade>>;
  const WaitSlot::CallsMade usual{1, "2 collectives"}, other{2, "3 collectives"};
  EXPECT_EQ(describe_different_calls(Calls{usual, usual, std::nullopt}, "host"), Lines{});
  EXPECT_EQ(describe_different_calls(Calls{std::nullopt, std::nullopt}, "host"), Lines{});
  EXPECT_EQ(describe_different_calls(Calls{usual, usual, other, std::nullopt, usual}, "host"),
            (Lines{"rank 2 on host: has called 3 collectives", "ranks 0, 1 and 4 on host: have called 2 collectives"}));
  Calls many;
  for (std::uint64_t i = 1; i <= 12; ++i) many.push_back(WaitSlot::CallsMade{i, "1 collective"});
  const Lines lines = describe_different_calls(many, "host");
  ASSERT_EQ(lines.size(), 11);
  EXPECT_EQ(lines.back(), "and 2 further groups of ranks that have called others");
}

}  // namespace
}  // namespace bowline::launcher
