// SPDX-License-Identifier: BSD-3-Clause
// What users read about the communicators and requests of a rank that is made up.
#include "launcher/queues/rank_pages.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "launcher/queues/queue_error.hpp"
#include "launcher/queues/record_search.hpp"
#include "made_memory.hpp"

namespace bowline::launcher {
namespace {

struct RankPagesTest : testing::Test {
  RankPagesTest() : record((MadeRank::fill(memory), find_queue_record(memory))) {}

  std::string requests() const { return requests_page(RankName{.number = 2, .ranks = 4}, read_requests(memory)); }
  std::string communicators() const { return communicators_page(RankName{.number = 2}, read_communicators(memory)); }

  MadeMemory memory;
  QueueRecord record;
};

TEST_F(RankPagesTest, CommunicatorsHaveTheirMembers) {
  EXPECT_EQ(communicators(),
            "rank 2\n"
            "  the world (rank 2 of 4, context 0)\n"
            "    members: ranks 0-3 of MPI_COMM_WORLD\n"
            "  oneself (rank 0 of 1, context 4)\n"
            "    members: rank 0 of MPI_COMM_WORLD\n"
            "  split (rank 2 of 3, context 64)\n"
            "    members: ranks 3, 0, 2 of MPI_COMM_WORLD\n"
            "  bridge (rank 0 of 1, with 2 remote ranks, context 128)\n"
            "    members: rank 2 of MPI_COMM_WORLD\n"
            "    remote members: ranks 0, 1 of MPI_COMM_WORLD\n");
}

TEST_F(RankPagesTest, TheLocalGroupMayStandFirst) {
  memory.put(MadeRank::bridge, record.communicator.all_first, 2);
  memory.put(MadeRank::bridge, record.communicator.all_stride, static_cast<std::uint32_t>(-1));
  EXPECT_NE(communicators().find("    members: rank 2 of MPI_COMM_WORLD\n    remote members: ranks 0, 1 of"),
            std::string::npos);
}

TEST_F(RankPagesTest, MembersOfOtherJobsHaveNoRankInTheWorld) {
  memory.put(MadeRank::record + offsetof(QueueRecord, ranks), std::int32_t{1});
  const std::string page = communicators();
  EXPECT_NE(page.find("    members: rank 0 of MPI_COMM_WORLD, 2 processes of other jobs\n"), std::string::npos) << page;
  EXPECT_NE(page.find("    members: 1 process of other jobs\n"), std::string::npos) << page;
}

TEST_F(RankPagesTest, ManyMembersAreCutShort) {
  memory.put(MadeRank::record + offsetof(QueueRecord, ranks), std::int32_t{1000});
  memory.put(MadeRank::world, record.communicator.members, 100);
  memory.put(MadeRank::world, record.communicator.peers, 100);
  memory.put(MadeRank::world, record.communicator.stride, 2);
  EXPECT_NE(communicators().find(", 36, 38 and 80 more of MPI_COMM_WORLD\n"), std::string::npos) << communicators();
}

TEST_F(RankPagesTest, RequestsHaveHandlesAndStates) {
  memory.put(MadeRank::send, record.send.request.generation, 0x123);
  memory.put(MadeRank::send, record.send.request.buffer, 0xbeef);
  EXPECT_EQ(
      requests(),
      "rank 2 of 4\n"
      "  split (rank 2 of 3, context 64)\n"
      "    0x40d00: receive from rank 1 (0 of MPI_COMM_WORLD), tag 11, up to 24 bytes at 0x0: no message has "
      "matched it\n"
      "    0x40e00: receive from any rank, any tag, up to 24 bytes at 0x0: no message has matched it\n"
      "    0x41100: send to rank 1 (0 of MPI_COMM_WORLD), tag 8, 24 bytes at 0x0: ended; no call has completed it\n"
      "    0x12000000041003: send to rank 1 (0 of MPI_COMM_WORLD), tag 7, 70 bytes at 0xbeef: matched; 30 of "
      "them have been sent\n"
      "    3 other requests, such as non-blocking collectives\n");
}

TEST_F(RankPagesTest, AReceiveWhoseDataArrive) {
  memory.put(MadeRank::filled, record.receive.request.context, 0);
  EXPECT_NE(requests().find("  the world (rank 2 of 4, context 0)\n"
                            "    0x41200: receive from rank 3, tag 9, 600 bytes at 0x0: matched; 200 of them have "
                            "arrived\n"),
            std::string::npos)
      << requests();
}

TEST_F(RankPagesTest, RequestsThatDoNotMove) {
  const QueueRecord::RequestLayout& send = record.send.request;
  memory.put(MadeRank::send, send.persistent, 1);
  memory.put(MadeRank::send, send.active, 0);
  memory.put(MadeRank::idle_send, send.detached, 1);
  memory.put(MadeRank::filled, record.receive.request.context, MadeRank::split_context);
  memory.put(MadeRank::filled, record.receive.request.done, 1);
  memory.put(MadeRank::second_receive, record.receive.request.done, 1);
  memory.put(MadeRank::second_receive, record.receive.matched_source, static_cast<std::uint32_t>(-1));
  memory.put(MadeRank::others + 2 * 4, std::uint32_t{1});
  const std::string page = requests();
  for (const char* line : {": persistent send to rank 1 (0 of MPI_COMM_WORLD), tag 7, 24 bytes at 0x0: not started\n",
                           ": ended; no call has completed it; the program has no handle of it any more\n",
                           ": ended, with a message from rank 3, tag 9, 900 bytes; no call has completed it\n",
                           ": ended without a message; no call has completed it\n",
                           "  1 other request, such as a non-blocking collective\n"})
    EXPECT_NE(page.find(line), std::string::npos) << line << page;
}

TEST_F(RankPagesTest, ARankWithoutRequests) {
  for (const std::uint64_t request :
       {MadeRank::receive, MadeRank::second_receive, MadeRank::filled, MadeRank::send, MadeRank::idle_send})
    memory.put(request, record.send.request.mark, 0);
  memory.put(MadeRank::others + 2 * 4, std::uint32_t{0});
  EXPECT_EQ(requests(), "rank 2 of 4: there are no requests\n");
}

TEST_F(RankPagesTest, DamageIsTold) {
  memory.put(MadeRank::send, record.send.peer, 0);
  EXPECT_THROW(read_requests(memory), QueueError);
  memory.put(MadeRank::bridge, record.communicator.all_table, 0x10);
  EXPECT_THROW(read_communicators(memory), QueueError);
}

/// Any bytes may be wrong, those of the record too: there is a page, or a sentence.
TEST(RankPagesDamage, NoDamageIsBelieved) {
  std::mt19937 random(815);
  int refused = 0;
  for (int round = 0; round < 1000; ++round) {
    MadeMemory memory;
    MadeRank::fill(memory);
    const std::size_t first = MadeRank::record - MadeMemory::begin + offsetof(QueueRecord, rank);
    const std::size_t last = MadeRank::words - MadeMemory::begin + 0x200;
    for (int change = 0; change < 1 + round % 40; ++change)
      memory.all()[std::uniform_int_distribution<std::size_t>(first, last)(random)] = static_cast<std::byte>(random());
    try {
      EXPECT_NE(requests_page({}, read_requests(memory)), "");
      EXPECT_NE(communicators_page({}, read_communicators(memory)), "");
    } catch (const QueueError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 100);
  EXPECT_LT(refused, 950);
}

}  // namespace
}  // namespace bowline::launcher
