// SPDX-License-Identifier: BSD-3-Clause
// shm/copy_buffers: long bodies through the buffers of their sender: whole, in order, in memory that is bounded and
// used again, and without trust in the other side.
#include "shm/copy_buffers.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstddef>
#include <memory>
#include <set>
#include <vector>

#include "node/segment.hpp"
#include "shm_node.hpp"

namespace bowline::shm {
namespace {

constexpr std::size_t buffer_bytes = CopyBufferArea::buffer_bytes;

/// A producer's ring and copy buffers, and their reader.
class LongBodies : public ShmNode {
 protected:
  std::unique_ptr<transport::Endpoint> to_second = first.connect(7, second.address());
  std::unique_ptr<transport::Endpoint> to_first = second.connect(3, first.address());
  const std::vector<std::byte> prefix = pattern(16, 9);

  std::size_t send(std::size_t bytes, unsigned seed) {
    return to_second->send_long({.tag = static_cast<int>(seed)}, prefix, pattern(bytes, seed));
  }
};

TEST_F(LongBodies, ArriveWholeAndInOrder) {
  ASSERT_EQ(to_second->limits().long_body, buffer_bytes);
  ASSERT_GT(buffer_bytes, to_second->limits().max_body);
  ASSERT_TRUE(to_first->takes_long());
  unsigned number = 0;
  for (const std::size_t bytes :
       {buffer_bytes, buffer_bytes - 1, std::size_t{1}, to_second->limits().max_body + 1, buffer_bytes}) {
    EXPECT_EQ(send(bytes, ++number), bytes);
    ++number;
    ASSERT_EQ(to_second->send({.tag = static_cast<int>(number)}, {}, pattern(100, number)), transport::Post::done);
  }
  drain(second, sink);
  ASSERT_EQ(sink.arrivals.size(), number);
  for (unsigned i = 0; i < number; ++i) {
    const Arrival& arrival = sink.arrivals[i];
    EXPECT_EQ(arrival.peer, 3);
    EXPECT_EQ(arrival.header.tag, static_cast<int>(i) + 1);
    EXPECT_EQ(arrival.prefix, i % 2 == 0 ? prefix : std::vector<std::byte>());
    EXPECT_EQ(arrival.body, pattern(arrival.body.size(), i + 1));
  }
  EXPECT_EQ(sink.arrivals[0].body.size(), buffer_bytes);
}

// The pages of one buffer are enough for a reader that keeps pace.
TEST_F(LongBodies, UseTheSameMemoryAgain) {
  ASSERT_TRUE(to_first->takes_long());
  const std::size_t before = memory_of(of_first);
  for (unsigned i = 0; i < 100; ++i) {
    ASSERT_EQ(send(buffer_bytes, i), buffer_bytes);
    drain(second, sink);
  }
  EXPECT_EQ(memory_of(of_first) - before, CopyBufferArea::returns_bytes + buffer_bytes);
  EXPECT_EQ(sink.arrivals.back().body, pattern(buffer_bytes, 99));
}

TEST_F(LongBodies, AReaderThatDoesNotReadKeepsHalfOfTheBuffers) {
  ASSERT_TRUE(to_first->takes_long());
  const auto to_third = first.connect(12, third.address());
  const auto from_third = third.connect(3, first.address());
  ASSERT_TRUE(from_third->takes_long());
  std::size_t lent = 0;
  while (send(buffer_bytes, 1) == buffer_bytes) ++lent;
  EXPECT_EQ(lent, CopyBuffers::most_of_one);
  std::size_t others = 0;
  while (to_third->send_long({}, prefix, pattern(buffer_bytes, 2)) == buffer_bytes) ++others;
  EXPECT_EQ(others, CopyBufferArea::count - CopyBuffers::most_of_one);
  EXPECT_EQ(send(buffer_bytes, 1), 0U) << "it will get a buffer back";
  EXPECT_EQ(second.poll(sink), lent);
  EXPECT_EQ(send(buffer_bytes, 3), buffer_bytes);
  drain(second, sink);
  EXPECT_EQ(sink.arrivals.back().body, pattern(buffer_bytes, 3));
  Collector of_third_sink;
  drain(third, of_third_sink);
  EXPECT_EQ(of_third_sink.arrivals.size(), others);
}

// Others have all the buffers: the beginning of the body goes through the ring.
TEST_F(LongBodies, WithoutABufferTheBeginningGoesThroughTheRing) {
  CopyBuffers& buffers = *first.copy_buffers();
  for (std::size_t i = 0; i < CopyBufferArea::count; ++i)
    ASSERT_TRUE(buffers.lend(100 + static_cast<int>(i), 1).has_value());
  const std::size_t sent = send(buffer_bytes, 5);
  EXPECT_GT(sent, 0U);
  EXPECT_LT(sent, to_second->limits().max_body);
  drain(second, sink);
  ASSERT_EQ(sink.arrivals.size(), 1U);
  auto beginning = pattern(buffer_bytes, 5);
  beginning.resize(sent);
  EXPECT_EQ(sink.arrivals[0].body, beginning);
  buffers.reclaim(107);
  EXPECT_EQ(send(buffer_bytes, 6), buffer_bytes);
}

TEST_F(LongBodies, AreRefusedByAReaderThatHasNotAgreed) {
  ASSERT_EQ(send(buffer_bytes, 1), buffer_bytes);
  drain(second, sink);
  EXPECT_TRUE(sink.arrivals.empty());
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_EQ(sink.failures[0].first, 3);
  EXPECT_NE(sink.failures[0].second.find("what stands in the ring of rank 3 is no message"), std::string::npos)
      << sink.failures[0].second;
}

/// Both views of an area of copy buffers.
class Area : public testing::Test {
 protected:
  Area() {
    own.open(segment.map(0, CopyBufferArea::bytes));
    theirs.open(segment.map(0, CopyBufferArea::bytes));
  }
  node::Segment segment = node::Segment::create("area", CopyBufferArea::bytes);
  CopyBuffers own;
  BorrowedBuffers theirs;
};

TEST_F(Area, NoPlaceOutsideOfABufferIsRead) {
  const auto loan = own.lend(1, buffer_bytes);
  ASSERT_TRUE(loan.has_value());
  EXPECT_EQ(theirs.find(loan->place)->size(), buffer_bytes);
  LentBody wrong = loan->place;
  wrong.bytes = buffer_bytes + 1;
  EXPECT_FALSE(theirs.find(wrong).has_value());
  wrong = loan->place;
  wrong.buffer = CopyBufferArea::count;
  EXPECT_FALSE(theirs.find(wrong).has_value());
}

TEST_F(Area, AWrongNumberGivesNoBufferBack) {
  std::vector<LentBody> places;
  for (std::size_t i = 0; i < CopyBufferArea::count; ++i) places.push_back(own.lend(static_cast<int>(i), 1)->place);
  ASSERT_FALSE(own.lend(100, 1).has_value());
  for (LentBody place : places) {
    place.loan += 1;
    theirs.give_back(place);
  }
  EXPECT_FALSE(own.lend(100, 1).has_value());
  theirs.give_back(places[3]);
  const auto again = own.lend(100, 1);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->place.buffer, places[3].buffer);
  EXPECT_NE(again->place.loan, places[3].loan);
}

// A process that is in long messages with all others of a node of 256 ranks.
TEST_F(Area, HundredsOfNeighboursShareTheSameBuffers) {
  std::set<std::byte*> memory;
  std::size_t refused = 0;
  for (int round = 0; round < 4; ++round) {
    std::vector<LentBody> places;
    for (int neighbour = 1; neighbour < 256; ++neighbour) {
      const auto loan = own.lend(neighbour, buffer_bytes);
      refused += loan ? 0 : 1;
      if (!loan) continue;
      memory.insert(loan->memory.data());
      places.push_back(loan->place);
    }
    EXPECT_EQ(places.size(), CopyBufferArea::count);
    for (const LentBody& place : places) theirs.give_back(place);
  }
  EXPECT_EQ(memory.size(), CopyBufferArea::count);
  EXPECT_EQ(refused, 4 * (255 - CopyBufferArea::count));
  struct stat status {};
  ASSERT_EQ(fstat(segment.descriptor(), &status), 0);
  EXPECT_LE(status.st_blocks * 512, (1 << 20) + 4096) << "bytes that have pages";
}

TEST_F(Area, WhatAProcessHadThatHasEndedIsLentAgain) {
  for (std::size_t i = 0; i < CopyBuffers::most_of_one; ++i) ASSERT_TRUE(own.lend(1, 1).has_value());
  ASSERT_FALSE(own.lend(1, 1).has_value());
  ASSERT_TRUE(own.serve(1));
  own.reclaim(1);
  EXPECT_FALSE(own.serve(1));
  for (std::size_t i = 0; i < CopyBuffers::most_of_one; ++i) EXPECT_TRUE(own.lend(2, 1).has_value());
}

TEST_F(Area, TheBufferThatCameBackLastIsLentFirst) {
  const auto one = own.lend(1, 1), two = own.lend(1, 1);
  theirs.give_back(one->place);
  const auto three = own.lend(1, 1);
  EXPECT_EQ(three->place.buffer, one->place.buffer);
  EXPECT_NE(three->place.buffer, two->place.buffer);
}

}  // namespace
}  // namespace bowline::shm
