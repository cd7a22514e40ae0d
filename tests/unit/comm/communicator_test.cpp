// SPDX-License-Identifier: BSD-3-Clause
// comm/communicator and comm/errhandler: ranks, contexts and the error handler of a communicator.
#include "comm/communicator.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "coll/machine/machine.hpp"
#include "comm/communicators.hpp"
#include "comm/errhandler.hpp"

namespace bowline::comm {
namespace {

class CommunicatorTest : public testing::Test {
 protected:
  static constexpr unsigned lane = 2;
  OwnerLock lock;
  proto::Engine engine{8,
                       [](int) -> std::unique_ptr<transport::Endpoint> {
                         throw std::logic_error("a communicator must not talk when it is made");
                       },
                       WaitPolicy{}, lock};
};

TEST_F(CommunicatorTest, KnowsItsMembers) {
  Communicator comm("evens", {.index = 3, .lane = lane}, engine, Group::sequence(2, 2, 3), 4, true);
  EXPECT_EQ(comm.name(), "evens");
  EXPECT_EQ(comm.index(), 3U);
  EXPECT_TRUE(comm.alive());
  EXPECT_EQ(comm.rank(), 1);
  EXPECT_EQ(comm.size(), 3);
  EXPECT_EQ(comm.process(0), 2);
  EXPECT_EQ(comm.process(2), 6);
  EXPECT_EQ(&comm.engine(), &engine);
  EXPECT_EQ(comm.team().rank, 1);
  EXPECT_EQ(comm.team().size, 3);
  EXPECT_TRUE(comm.team().oversubscribed);
}

TEST_F(CommunicatorTest, ContextsOfDifferentCommunicatorsAndKindsDiffer) {
  std::set<std::uint32_t> contexts;
  for (std::uint32_t index = 0; index < 100; ++index) {
    const Communicator comm("c", {.index = index, .lane = lane}, engine, Group::sequence(0, 1, 1), 0, false);
    const auto all = {comm.context(), comm.team().context, comm.partitioned_context()};
    for (const std::uint32_t context : all) {
      EXPECT_EQ(proto::index_of(context), index);
      EXPECT_EQ(proto::lane_of(context), lane);
    }
    contexts.insert(all);
  }
  EXPECT_EQ(contexts.size(), 300U);
}

TEST_F(CommunicatorTest, AnIntercommunicatorTalksToTheOtherSide) {
  Communicator comm("both", {.index = 9, .lane = lane}, engine, Group::sequence(4, 1, 3), 5, false,
                    {.remote = Group::sequence(0, 1, 2), .local_first = false});
  EXPECT_TRUE(comm.inter());
  EXPECT_EQ(comm.rank(), 1);
  EXPECT_EQ(comm.size(), 3);
  EXPECT_EQ(comm.peers(), 2);
  EXPECT_EQ(comm.process(1), 1);
  EXPECT_EQ(comm.team().size, 5);
  EXPECT_EQ(comm.team().rank, 3);  // behind the two of the other side
  EXPECT_EQ(comm.local_team().size, 3);
  EXPECT_EQ(comm.local_team().rank, 1);
  const std::set<std::uint32_t> contexts = {comm.context(), comm.team().context, comm.local_team().context};
  EXPECT_EQ(contexts.size(), 3U);
}

/// Whether a team of these processes, one of a job of 4 ranks, gets the job's machine.
bool placed(proto::Engine& engine, const Group& members) {
  struct : coll::Machine {
    int unit(coll::Level, int) const override { return -1; }
  } machine;
  const std::array<int, 1> here{1};
  const Whereabouts whereabouts{.here = here,
                                .near =
                                    [] {
                                      return std::vector{1, 5, 6};
                                    },
                                .ranks = 4,
                                .machine = &machine};
  Communicator comm("c", {.index = 3}, engine, members, members.process(0), false);
  whereabouts.tell(comm.team(), true);
  EXPECT_FALSE(comm.team().one_node);
  return comm.team().machine != nullptr;
}

TEST_F(CommunicatorTest, ATeamWithProcessesOfOtherJobsHasNoMachine) {
  EXPECT_TRUE(placed(engine, Group::sequence(0, 1, 4)));
  EXPECT_TRUE(placed(engine, Group::of(std::array{3, 0, 1})));
  EXPECT_FALSE(placed(engine, Group::sequence(0, 1, 5)));
  EXPECT_FALSE(placed(engine, Group::sequence(4, -1, 5)));
  EXPECT_FALSE(placed(engine, Group::of(std::array{3, 5, 1})));
}

TEST_F(CommunicatorTest, ATeamOfSeveralJobsIsOnOneNodeIfAllItsProcessesAre) {
  const std::array<int, 2> here{0, 1};
  const Whereabouts whereabouts{.here = here,
                                .near =
                                    [] {
                                      return std::vector{0, 1, 5, 6};
                                    },
                                .ranks = 4,
                                .oversubscribed = true,
                                .machine = nullptr};
  const auto told = [&](const Group& members) {
    Communicator comm("c", {.index = 3}, engine, members, members.process(0), true);
    whereabouts.tell(comm.team(), true);
    return std::pair(comm.team().one_node, comm.team().oversubscribed);
  };
  EXPECT_EQ(told(Group::of(std::array{1, 0})), std::pair(true, true));
  EXPECT_EQ(told(Group::of(std::array{0, 2})), std::pair(false, true));
  // All members must choose algorithms alike, and the other job may have cores of its own.
  EXPECT_EQ(told(Group::of(std::array{6, 1, 5})), std::pair(true, false));
  EXPECT_EQ(told(Group::of(std::array{1, 7})), std::pair(false, false));
}

TEST_F(CommunicatorTest, ErrorsAreFatalUntilAskedOtherwise) {
  Communicator comm("c", {.index = 0, .lane = lane}, engine, Group::sequence(0, 1, 1), 0, false);
  Communicator other("d", {.index = 1, .lane = lane}, engine, Group::sequence(0, 1, 1), 0, false);
  EXPECT_EQ(comm.error_handler().get(), &ErrorHandler::are_fatal());
  comm.set_error_handler(ErrorHandler::to_return());
  EXPECT_EQ(comm.error_handler().get(), &ErrorHandler::to_return());
  EXPECT_EQ(other.error_handler().get(), &ErrorHandler::are_fatal());
}

TEST(ErrorHandlerTest, ThePredefinedOnesHaveTheirNamesAndActions) {
  EXPECT_EQ(ErrorHandler::are_fatal().name(), "MPI_ERRORS_ARE_FATAL");
  EXPECT_EQ(ErrorHandler::abort().name(), "MPI_ERRORS_ABORT");
  EXPECT_EQ(ErrorHandler::to_return().name(), "MPI_ERRORS_RETURN");
  EXPECT_EQ(ErrorHandler::are_fatal().action(), ErrorHandler::Action::end_job);
  EXPECT_EQ(ErrorHandler::abort().action(), ErrorHandler::Action::end_comm);
  EXPECT_EQ(ErrorHandler::to_return().action(), ErrorHandler::Action::to_caller);
}

}  // namespace
}  // namespace bowline::comm
