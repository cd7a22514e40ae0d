// SPDX-License-Identifier: BSD-3-Clause
// verbs: the requests of a send queue, which end in order and are repeated after a failure.
#include "verbs/connection/send_queue.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scripted_pair.hpp"
#include "two_verbs_devices.hpp"

namespace bowline::verbs {
namespace {

class Requests : public testing::Test {
 protected:
  static constexpr std::size_t slot_bytes = 512;

  Requests() {
    for (SendWork& each : works) {
      each.request.wr_id = reinterpret_cast<std::uintptr_t>(&each);
      each.request.opcode = IBV_WR_SEND;
    }
    connect(link, script);
    for (std::size_t i = 0; i < works.size(); ++i) pool.take(connection);  // for those that are given back
  }
  /// The places in `works` of requests.
  std::vector<std::ptrdiff_t> places(const std::vector<const SendWork*>& requests) const {
    std::vector<std::ptrdiff_t> found;
    for (const SendWork* const each : requests) found.push_back(each - works.data());
    return found;
  }

  SimulatedFabric network;
  VerbsDevice device{network.device(0, 2, "here")};
  Connection connection{device, 1, 0};
  WorkPool pool{network.adapter, slot_bytes, 4 * std::size_t{send_depth}};
  ConnectionNotes notes{"fabric0"};
  ScriptedPair::Script script;
  PeerLink link;
  std::array<SendWork, send_depth + 2> works{};
  Ends ends;
  SendQueue queue{pool, notes};
};

using Places = std::vector<std::ptrdiff_t>;

TEST_F(Requests, TheAdapterIsToldOnceOfAllThatAreQueued) {
  for (std::size_t i = 0; i < 3; ++i) queue.push(works[i]);
  EXPECT_EQ(queue.flush(link), 0);
  EXPECT_EQ(queue.flush(link), 0);
  ASSERT_EQ(script.posts.size(), 1U);
  EXPECT_EQ(places(script.posts[0]), (Places{0, 1, 2}));
  script.refusal = ENOMEM;
  queue.push(works[3]);
  EXPECT_EQ(queue.flush(link), ENOMEM);
  EXPECT_EQ(places(script.posts[1]), Places{3});
}

TEST_F(Requests, OneCompletionEndsAllBeforeIt) {
  ArrivalProof arrival(true);
  for (std::size_t i = 0; i < send_depth; ++i) {
    ASSERT_TRUE(queue.has_room());
    EXPECT_EQ(queue.has_room(16), i < send_depth - 16);
    queue.push(works[i]);
    EXPECT_EQ(works[i].request.send_flags == IBV_SEND_SIGNALED, i % 16 == 15) << i;
  }
  EXPECT_FALSE(queue.has_room());
  EXPECT_TRUE(queue.ends_proven(arrival));
  queue.complete(works[31], arrival);
  EXPECT_TRUE(queue.has_room(31));
  EXPECT_FALSE(queue.has_room(32));
  SendWork &silent = works[send_depth], &last = works[send_depth + 1];
  queue.push(silent);
  EXPECT_FALSE(queue.ends_proven(arrival));
  queue.report_next();
  queue.push(last);
  EXPECT_EQ(last.request.send_flags, unsigned{IBV_SEND_SIGNALED});
  queue.complete(last, arrival);
  EXPECT_TRUE(queue.empty());
}

// Otherwise connections to many peers could hold all requests, and wait for each other for ever.
TEST_F(Requests, EachEndIsReportedWhenFewAreLeftForAllPeers) {
  WorkPool shared{network.adapter, slot_bytes, 64};
  constexpr std::size_t silent = 12;  // fewer than are reported together
  std::array<SendQueue, 5> queues{
      {{shared, notes}, {shared, notes}, {shared, notes}, {shared, notes}, {shared, notes}}};
  unsigned pushed = 0;
  for (SendQueue& each : queues) {
    for (std::size_t i = 0; i < silent; ++i) {
      SendWork* const work = shared.take(connection);
      ASSERT_NE(work, nullptr);
      work->request.opcode = IBV_WR_SEND;
      each.push(*work);
      const bool last_of_a_block = ++pushed == 32 || pushed == 64;
      EXPECT_EQ((work->request.send_flags & IBV_SEND_SIGNALED) != 0, last_of_a_block || pushed > 48) << pushed;
    }
  }
}

// A queue of few slots, such as the first ones of a device that may not register more memory.
TEST_F(Requests, TheEndOfTheLastSlotIsReported) {
  const Bytes body = pattern(slot_bytes, 3);
  WorkPool small{network.adapter, slot_bytes, 6};
  SendQueue of_small{small, notes};
  ArrivalProof arrival(true);
  SendWork* last = nullptr;
  for (int i = 0; i < 6; ++i) {
    last = small.take(connection);
    ASSERT_NE(last, nullptr);
    ASSERT_NE(small.make_data(*last, body.size()), nullptr);
    of_small.push(*last);
  }
  EXPECT_EQ(small.take(connection), nullptr);
  EXPECT_EQ(last->request.send_flags, unsigned{IBV_SEND_SIGNALED});
  of_small.complete(*last, arrival);
  EXPECT_NE(small.take(connection), nullptr);
}

TEST_F(Requests, WhatThePeerLacksIsRepeatedInOrder) {
  enum : std::size_t { received, update, lacking, read, write, credits };
  for (const std::size_t each : {received, lacking}) works[each].is_message = true;
  works[received].sequence = 41;
  works[lacking].sequence = 42;
  works[update].request.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD;
  works[read].request.opcode = IBV_WR_RDMA_READ;
  works[write].request.opcode = IBV_WR_RDMA_WRITE;
  works[credits].is_own = true;
  works[update].operation = works[read].operation = works[write].operation = &ends;
  for (std::size_t i = received; i <= credits; ++i) queue.push(works[i]);
  queue.flush(link);
  EXPECT_EQ(queue.oldest_message(50), 41U);

  List<SendWork> ended;
  queue.repeat(42, ended);
  queue.flush(link);
  EXPECT_EQ(queue.oldest_message(50), 42U);
  EXPECT_EQ(places(script.posts.back()), (Places{lacking, read, write}));
  std::vector<const SendWork*> rest;
  while (!ended.empty()) {
    rest.push_back(&ended.front());
    queue.end(ended.pop_front(), nullptr);
  }
  EXPECT_EQ(places(rest), (Places{received, update, credits}));
  EXPECT_EQ(ends.count, 1);
  queue.end_all(Error(ErrorClass::other, "over"));
  EXPECT_TRUE(queue.empty());
  EXPECT_EQ(ends.count, 3);
  EXPECT_EQ(ends.failures, (std::vector<std::string>{"over", "over"}));
  EXPECT_EQ(notes.happened, 3U);
}

}  // namespace
}  // namespace bowline::verbs
