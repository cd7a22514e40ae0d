// SPDX-License-Identifier: BSD-3-Clause
// What mpiexec says of a rank when the time is over.
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>

#include "launcher/job/rank_waits.hpp"

namespace bowline::launcher {
namespace {

using State = WaitSlot::State;
using namespace std::chrono_literals;

std::string line_of(RankStage stage, State state, const std::string& text = "", std::chrono::nanoseconds since = 0ns) {
  const std::chrono::steady_clock::time_point now(100s);
  return describe_wait(3, "node", stage, {.state = state, .text = text, .since = since.count()}, now);
}

TEST(RankWaits, Sentences) {
  EXPECT_EQ(line_of(RankStage::initialized, State::waiting, "in MPI_Recv", 88s),
            "rank 3 on node: in MPI_Recv, for 12.0 s");
  EXPECT_EQ(line_of(RankStage::started, State::waiting, "in MPI_Init for the launcher", 99960ms),
            "rank 3 on node: in MPI_Init for the launcher, for 0.0 s");
  EXPECT_EQ(line_of(RankStage::initialized, State::waiting, "in MPI_Recv", 200s),
            "rank 3 on node: in MPI_Recv, for 0.0 s");
  EXPECT_EQ(line_of(RankStage::initialized, State::idle), "rank 3 on node: not waiting in MPI");
  EXPECT_EQ(line_of(RankStage::initialized, State::unused), "rank 3 on node: does not say what it waits for");
  EXPECT_EQ(line_of(RankStage::started, State::unused), "rank 3 on node: has not called MPI_Init");
  EXPECT_EQ(line_of(RankStage::finalized, State::idle), "rank 3 on node: has called MPI_Finalize");
  EXPECT_EQ(line_of(RankStage::ended, State::waiting, "in MPI_Recv"), "rank 3 on node: has ended");
  EXPECT_EQ(line_of(RankStage::initialized, State::unreadable),
            "rank 3 on node: stopped while it wrote what it waits for");
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

}  // namespace
}  // namespace bowline::launcher
