// SPDX-License-Identifier: BSD-3-Clause
// shm/inbox and shm/device: the sections of one inbox, each for a lane of its own.
#include <gtest/gtest.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "shm_node.hpp"

namespace bowline::shm {
namespace {

using transport::Post;

/// Two ranks, each with an inbox of four sections, of which they use some.
class ShmLanes : public testing::Test {
 protected:
  static constexpr int here = 4;
  static constexpr int there = 9;

  std::unique_ptr<ShmDevice> open(Inbox& inbox, unsigned lane, int rank) {
    return std::make_unique<ShmDevice>(inbox, lane, rank, std::vector{here, there});
  }

  Inbox mine{2, 4}, theirs{2, 4};
  Collector sink;
};

TEST_F(ShmLanes, LanesOfTheSamePairDoNotMix) {
  const auto my_first = open(mine, 0, here);
  const auto my_last = open(mine, 3, here);
  const auto their_first = open(theirs, 0, there);
  const auto their_last = open(theirs, 3, there);
  const auto on_first = my_first->connect(there, theirs.address());
  const auto on_last = my_last->connect(there, theirs.address());
  const auto body = pattern(1000, 1);
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(on_first->send({.tag = i}, {}, body), Post::done);
    ASSERT_EQ(on_last->send({.tag = 100 + i}, {}, body), Post::done);
  }
  const auto expect_tags_from = [&](ShmDevice& device, int tag) {
    sink.arrivals.clear();
    while (device.poll(sink) != 0) {
    }
    ASSERT_EQ(sink.arrivals.size(), 10U);
    for (const Arrival& arrival : sink.arrivals) {
      EXPECT_EQ(arrival.header.tag, tag++);
      EXPECT_EQ(arrival.peer, here);
      EXPECT_EQ(arrival.body, body);
    }
  };
  expect_tags_from(*their_last, 100);
  expect_tags_from(*their_first, 0);
  EXPECT_EQ(my_first->poll(sink) + my_last->poll(sink), 0U);
}

TEST_F(ShmLanes, AFullRingHoldsUpItsOwnLaneOnly) {
  const auto my_first = open(mine, 1, here);
  const auto my_second = open(mine, 2, here);
  const auto their_first = open(theirs, 1, there);
  const auto their_second = open(theirs, 2, there);
  const auto full = my_first->connect(there, theirs.address());
  const auto other = my_second->connect(there, theirs.address());
  while (full->send({}, {}, pattern(3000, 0)) == Post::done) {
  }
  EXPECT_EQ(other->send({}, {}, {}), Post::done);
  EXPECT_EQ(full->send({}, {}, pattern(3000, 0)), Post::retry);
}

TEST_F(ShmLanes, ASectionTakesMemoryOnlyWhenItIsOpened) {
  EXPECT_EQ(memory_of(theirs), page_bytes) << "of lane 0, which holds what concerns them all";
  const auto their_first = open(theirs, 0, there);
  EXPECT_EQ(memory_of(theirs), page_bytes);
  const auto their_last = open(theirs, 3, there);
  EXPECT_EQ(memory_of(theirs), 2 * page_bytes);
  const auto my_last = open(mine, 3, here);
  const auto endpoint = my_last->connect(there, theirs.address());
  EXPECT_GT(memory_of(theirs), 2 * page_bytes);
  EXPECT_LE(memory_of(theirs), 2 * page_bytes + ring_stride(theirs.lines()));
  EXPECT_EQ(memory_of(mine), 2 * page_bytes) << "who connects pays nothing";
}

TEST_F(ShmLanes, APeerMayConnectBeforeTheLaneIsOpened) {
  const auto my_lane = open(mine, 2, here);
  const auto endpoint = my_lane->connect(there, theirs.address());
  ASSERT_EQ(endpoint->send({.tag = 7}, {}, {}), Post::done);
  const auto their_lane = open(theirs, 2, there);
  EXPECT_TRUE(their_lane->ready());
  EXPECT_EQ(their_lane->poll(sink), 1U);
  EXPECT_EQ(sink.arrivals.at(0).header.tag, 7);
}

TEST_F(ShmLanes, ReadyMeansThatAPollFindsSomething) {
  const auto mine_here = open(mine, 1, here);
  const auto first = open(theirs, 0, there);
  const auto second = open(theirs, 1, there);
  EXPECT_FALSE(second->ready());
  const auto endpoint = mine_here->connect(there, theirs.address());
  EXPECT_TRUE(second->ready()) << "a new producer is news";
  EXPECT_EQ(second->poll(sink), 0U);
  EXPECT_FALSE(second->ready());
  ASSERT_EQ(endpoint->send({}, {}, {}), Post::done);
  EXPECT_TRUE(second->ready());
  EXPECT_FALSE(first->ready()) << "another lane has nothing to look at";
  EXPECT_EQ(second->poll(sink), 1U);
  EXPECT_FALSE(second->ready());
}

TEST_F(ShmLanes, ReadySeesAMessageBehindTheEndOfTheRing) {
  // A record that does not fit before the end of the ring leaves a mark there; the mark alone is something to poll.
  const auto my_lane = open(mine, 0, here);
  const auto their_lane = open(theirs, 0, there);
  const auto endpoint = my_lane->connect(there, theirs.address());
  their_lane->poll(sink);
  for (int i = 0; i < 2000; ++i) {
    ASSERT_EQ(endpoint->send({.tag = i}, {}, pattern(5000, 0)), Post::done);
    ASSERT_TRUE(their_lane->ready()) << i;
    ASSERT_EQ(their_lane->poll(sink), 1U) << i;
    ASSERT_FALSE(their_lane->ready()) << i;
  }
}

}  // namespace
}  // namespace bowline::shm
