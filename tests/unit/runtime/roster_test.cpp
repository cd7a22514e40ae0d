// SPDX-License-Identifier: BSD-3-Clause
// runtime/jobs/roster: the processes of a communicator, as another job learns of them.
#include "runtime/jobs/roster.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "base/error.hpp"

namespace bowline::runtime {
namespace {

constexpr std::array<std::uint64_t, 4> nodes{7, 8, 7, 9};

/// A group of processes of this job, which has 3 ranks, and of another one with 5.
comm::Group some_group(comm::ProcessTable& table) {
  const int first = table.add("other", 5);
  return comm::Group::of(std::vector{2, first + 4, 0, first + 1});
}

TEST(Roster, HasTheJobsAndProcessesOfAGroup) {
  comm::ProcessTable table("own", 3);
  const Roster roster = Roster::of(some_group(table), nodes, table);
  ASSERT_EQ(roster.jobs.size(), 2U);
  EXPECT_EQ(roster.jobs[0].name, "own");
  EXPECT_EQ(roster.jobs[0].ranks, 3);
  EXPECT_EQ(roster.jobs[1].ranks, 5);
  EXPECT_EQ(roster.job_named("other"), 1);
  EXPECT_EQ(roster.job_named("third"), -1);
  const Side side = roster.side(1);
  EXPECT_EQ(side.job, "other");
  EXPECT_EQ(side.members, (std::vector<Member>{{1, 9}, {4, 8}}));  // ascending
}

TEST(Roster, IsUnderstoodByAProcessWithOtherIndices) {
  comm::ProcessTable table("own", 3), theirs("other", 5);
  const Roster read = Roster::read(Roster::of(some_group(table), nodes, table).bytes());
  theirs.add("third", 10);
  const int first = theirs.add("own", 3);
  EXPECT_EQ(read.indices(theirs), (std::vector{first + 2, 4, first, 1}));
}

TEST(Roster, OfAJobThatIsNotConnectedHasNoIndices) {
  comm::ProcessTable table("own", 3), alone("other", 5);
  const Roster roster = Roster::of(some_group(table), nodes, table);
  try {
    static_cast<void>(roster.indices(alone));
    ADD_FAILURE() << "indices of unknown processes";
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::comm);
    EXPECT_STREQ(error.what(),
                 "this process is not connected to rank 2 of job own: join the jobs with MPI_Comm_connect "
                 "and MPI_Comm_accept");
  }
}

TEST(Roster, DamagedBytesAreRefusedOrRead) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  comm::ProcessTable table("own", 3);
  const std::vector<std::byte> good = Roster::of(some_group(table), nodes, table).bytes();
  for (int round = 0; round < 20000; ++round) {
    std::vector<std::byte> bytes = good;
    for (int change = 0; change < 2; ++change) bytes[random() % bytes.size()] = std::byte(random());
    bytes.resize(bytes.size() - random() % 8);
    try {
      const Roster roster = Roster::read(bytes);
      for (const Roster::Process& each : roster.processes)
        ASSERT_LT(static_cast<std::size_t>(each.job), roster.jobs.size());
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::other);
    }
  }
}

}  // namespace
}  // namespace bowline::runtime
