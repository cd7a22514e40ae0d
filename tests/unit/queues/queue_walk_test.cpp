// SPDX-License-Identifier: BSD-3-Clause
// The queues of a rank are read as its record describes them, and damage of any kind is told in a sentence.
#include "launcher/queues/queue_walk.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "launcher/queues/queue_error.hpp"
#include "launcher/queues/record_search.hpp"
#include "made_memory.hpp"

namespace bowline::launcher {
namespace {

using State = PendingMessage::State;

/// What the QueueError says; "nothing" if there is none.
std::string sentence_of(const ProcessMemory& memory) {
  try {
    read_queues(memory);
  } catch (const QueueError& error) {
    return error.what();
  }
  return "nothing";
}

std::string in_short(const PendingMessage& message) {
  return fmt::format("{}:{} {} {}/{} {}", message.rank, message.process, message.tag, message.moved, message.bytes,
                     static_cast<int>(message.state));
}

std::string in_short(State state, int rank, int process, int tag, std::uint64_t moved, std::uint64_t bytes) {
  return in_short({.state = state, .rank = rank, .process = process, .tag = tag, .bytes = bytes, .moved = moved});
}

struct QueueWalkTest : testing::Test {
  QueueWalkTest() { MadeRank::fill(memory); }
  MadeMemory memory;
};

TEST_F(QueueWalkTest, ReadsWhatTheRecordDescribes) {
  const MessageQueues queues = read_queues(memory);
  EXPECT_EQ(queues.rank, 2);
  EXPECT_EQ(queues.ranks, 4);
  ASSERT_EQ(queues.contexts.size(), 2U);
  const ContextQueues& collectives = queues.contexts[0];
  EXPECT_EQ(collectives.communicator, "the world");
  EXPECT_EQ(collectives.purpose(), QueueRecord::Purpose::collective);
  ASSERT_EQ(collectives.receives.size(), 1U);
  EXPECT_EQ(in_short(collectives.receives[0]), in_short(State::arriving, 3, 3, 9, 200, 600));
  const ContextQueues& split = queues.contexts[1];
  EXPECT_EQ(split.communicator, "split");
  EXPECT_FALSE(split.freed);
  EXPECT_EQ(split.rank, 2);
  EXPECT_EQ(split.members, 3);
  ASSERT_EQ(split.receives.size(), 2U);
  EXPECT_EQ(in_short(split.receives[0]), in_short(State::posted, 1, 0, 11, 0, 24));
  EXPECT_EQ(in_short(split.receives[1]),
            in_short(State::posted, QueueRecord::any_source, PendingMessage::unknown, QueueRecord::any_tag, 0, 24));
  ASSERT_EQ(split.unexpected.size(), 1U);
  EXPECT_EQ(in_short(split.unexpected[0]), in_short(State::unfetched, 0, 3, 5, 0, 1000));
  ASSERT_EQ(split.sends.size(), 1U) << "a send that is done is not pending";
  EXPECT_EQ(in_short(split.sends[0]), in_short(State::streaming, 1, 0, 7, 30, 70));
}

TEST_F(QueueWalkTest, AnElementWithoutASenderIsNoMessage) {
  memory.put(MadeRank::message, find_queue_record(memory).unexpected.origin, static_cast<std::uint32_t>(-1));
  EXPECT_TRUE(read_queues(memory).contexts[1].unexpected.empty());
}

TEST_F(QueueWalkTest, ACopyOfTheRecordIsNone) {
  QueueRecord copy = find_queue_record(memory);
  copy.rank = 77;
  memory.put(MadeMemory::begin, copy);
  EXPECT_EQ(find_queue_record(memory).rank, 2);
}

TEST_F(QueueWalkTest, MemoryWithoutRecord) {
  memory.put(MadeRank::record, 'x');
  EXPECT_EQ(sentence_of(memory),
            "the made rank has no message queues of Bowline: it uses no Bowline, an older one, or has not called "
            "MPI_Init; or this is advice");
}

TEST_F(QueueWalkTest, ARecordOfAnotherVersion) {
  memory.put(MadeRank::record + offsetof(QueueRecord, version), QueueRecord::this_version + 6);
  EXPECT_EQ(sentence_of(memory),
            "the message queues of the made rank are those of another version of Bowline (8, not 2): use the "
            "bowline-ps, or the libbowline_dbg.so, of that version");
}

TEST_F(QueueWalkTest, ARecordWithFurtherMembersIsUnderstood) {
  memory.put(MadeRank::record + offsetof(QueueRecord, bytes), static_cast<std::uint32_t>(sizeof(QueueRecord) + 64));
  EXPECT_EQ(sentence_of(memory), "nothing");
}

TEST(QueueRecordSearch, FindsTheRecordWhereTwoPartsOfTheSearchMeet) {
  constexpr std::uint64_t address = MadeMemory::begin + (1 << 20) - 16;
  MadeMemory memory(2 << 20);
  memory.put(address, QueueRecord{.magic = QueueRecord::right_magic,
                                  .version = QueueRecord::this_version,
                                  .bytes = sizeof(QueueRecord),
                                  .self = address,
                                  .rank = 5});
  EXPECT_EQ(find_queue_record(memory).rank, 5);
}

TEST_F(QueueWalkTest, AListThatDoesNotLeadBackIsDamaged) {
  const QueueRecord record = find_queue_record(memory);
  const std::uint64_t link = MadeRank::second_receive + record.receive.request.link;
  memory.put_address(link + record.list.previous, link);
  EXPECT_EQ(sentence_of(memory), "a queue of the made rank cannot be read: this is advice");
  memory.live = true;
  EXPECT_EQ(sentence_of(memory),
            "the made rank is too busy: a queue changed during each of 1000 looks; this is advice");
}

TEST_F(QueueWalkTest, ARingWithoutItsHeadEnds) {
  const QueueRecord record = find_queue_record(memory);
  const std::uint64_t link = record.receive.request.link;
  memory.put_address(MadeRank::second_receive + link + record.list.next, MadeRank::receive + link);
  EXPECT_EQ(sentence_of(memory), "a queue of the made rank cannot be read: this is advice");
}

TEST_F(QueueWalkTest, AReceiveThatHasEndedMeanwhileIsReadAgain) {
  const QueueRecord record = find_queue_record(memory);
  const QueueRecord::Field mark = record.receive.request.mark;
  memory.put(MadeRank::second_receive, mark, 0);
  memory.live = true;
  int reads = 0;  // of the first receive, two in a look at the list
  memory.before_read = [&](std::uint64_t address) {
    if (address == MadeRank::receive && ++reads == 5)
      memory.put(MadeRank::second_receive, mark, record.receive.request.alive);
  };
  const MessageQueues queues = read_queues(memory);
  EXPECT_EQ(queues.contexts.back().receives.size(), 2U) << "what earlier looks have found is dropped";
  EXPECT_EQ(reads, 6);
}

TEST_F(QueueWalkTest, AnObjectThatChangesWhileItIsReadIsReadAgain) {
  const QueueRecord record = find_queue_record(memory);
  memory.live = true;
  int reads = 0;
  memory.before_read = [&](std::uint64_t address) {
    if (address == MadeRank::send && reads < 9) memory.put(MadeRank::send, record.send.bytes, 100U + ++reads);
  };
  EXPECT_EQ(read_queues(memory).contexts.back().sends[0].bytes, 109U);
}

TEST_F(QueueWalkTest, AReceiveWhoseSlotChangesMeanwhileIsReadAgain) {
  const QueueRecord record = find_queue_record(memory);
  const std::uint64_t slot = MadeRank::words + 0x100 + record.engine.slot_bytes + record.engine.slot_receive;
  memory.live = true;
  memory.before_read = [&](std::uint64_t address) {
    if (address == MadeRank::filled) memory.put_address(slot, 0);
  };
  EXPECT_EQ(read_queues(memory).contexts.size(), 1U) << "the receive has ended";
}

TEST_F(QueueWalkTest, ASendThatIsBeingMadeIsNotPending) {
  const QueueRecord record = find_queue_record(memory);
  memory.put(MadeRank::send, record.send.stage, static_cast<std::uint64_t>(QueueRecord::Stage::queued));
  EXPECT_TRUE(read_queues(memory).contexts.back().sends.empty());
  memory.put_address(MadeRank::send + record.send.request.link + record.list.next, MadeRank::send);
  EXPECT_EQ(read_queues(memory).contexts.back().sends.size(), 1U);
}

TEST_F(QueueWalkTest, AVectorThatGrowsWhileItIsReadIsReadAgain) {
  const QueueRecord record = find_queue_record(memory);
  const std::uint64_t sends = MadeRank::engine + record.engine.sends;
  memory.live = true;
  bool grown = false;
  memory.before_read = [&](std::uint64_t address) {
    if (address != MadeRank::words + 0x80 || grown) return;
    grown = true;
    memory.put_vector(sends, MadeRank::words + 0x88, 8);  // the second one only
  };
  EXPECT_EQ(read_queues(memory).contexts.back().sends.size(), 1U);
  EXPECT_TRUE(grown);
}

/// Any bytes may be wrong, those of the record too: there is an answer, or a sentence.
TEST(QueueWalkDamage, NoDamageIsBelieved) {
  std::mt19937 random(4711);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    MadeMemory memory;
    MadeRank::fill(memory);
    const std::size_t first = MadeRank::record - MadeMemory::begin + offsetof(QueueRecord, rank);
    const std::size_t last = MadeRank::words - MadeMemory::begin + 0x140;
    for (int change = 0; change < 1 + round % 40; ++change)
      memory.all()[std::uniform_int_distribution<std::size_t>(first, last)(random)] = static_cast<std::byte>(random());
    refused += sentence_of(memory) != "nothing" ? 1 : 0;
  }
  EXPECT_GT(refused, 300);
}

}  // namespace
}  // namespace bowline::launcher
