// SPDX-License-Identifier: BSD-3-Clause
// verbs: messages that peers write into rings.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <thread>

#include "support/fabric/fabric_control.hpp"
#include "support/seed.hpp"
#include "two_verbs_devices.hpp"

namespace bowline::verbs {
namespace {

fabric_counts counts_now() {
  fabric_counts counts{};
  fabric_count(&counts);
  return counts;
}

/// Before any device is made.
struct WithRings {
  test::Setting rings{"verbs_rings", "8"};
};

class VerbsRings : private WithRings, public Verbs {
 protected:
  /// Sends short messages until the receiver has given a ring to the sender, and both know.
  void talk_until_ring() {
    int sent = 0;
    for (; second.rings().given().empty(); ++sent) {
      ASSERT_LT(sent, 1000) << "no ring is given";
      send(*to_second, {.tag = sent}, {}, {});
      second.poll(at_second);
    }
    until([&] { return at_second.arrivals.size() == static_cast<std::size_t>(sent) && second.drained(); });
    at_second.arrivals.clear();
  }
  /// Sends a message that must go into the ring.
  void write(int tag) {
    const auto before = counts_now();
    ASSERT_EQ(to_second->send({.tag = tag}, {}, {}), Post::done);
    ASSERT_EQ(counts_now().writes, before.writes + 1) << "message " << tag << " went through the receive queue";
  }
  /// The sender has forgotten what it has sent.
  void until_acknowledged() {
    const auto deadline = Clock::now() + patience;
    while (!first.drained()) {
      first.poll(at_first);
      ASSERT_LT(Clock::now(), deadline);
    }
  }
  void expect_in_order(const Collector& at, std::size_t count) {
    ASSERT_EQ(at.arrivals.size(), count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(at.arrivals[i].header.tag, static_cast<int>(i));
  }
};

TEST_F(VerbsRings, APeerThatTalksOftenGetsARingAndItsShortMessagesComeOutOfIt) {
  talk_until_ring();
  const Bytes prefix = pattern(16, 1), body = pattern(40, 2);
  const auto before = counts_now();
  ASSERT_EQ(to_second->send({.tag = 5}, prefix, body), Post::done);
  EXPECT_EQ(counts_now().sends, before.sends);
  until([&] { return !at_second.arrivals.empty(); });
  const Arrival& got = at_second.arrivals.front();
  EXPECT_EQ(got.peer, 3);
  EXPECT_EQ(got.header.tag, 5);
  EXPECT_EQ(got.prefix, prefix);
  EXPECT_EQ(got.body, body);
}

TEST_F(VerbsRings, OrderIsKeptBetweenRingAndQueueWithASinkThatRefuses) {
  const auto to_first = connect(second, 3, first);
  talk_until_ring();
  at_first.arrivals.clear();
  const Bytes data = pattern(4000, 5);
  std::mt19937 random(test::seeds().front());
  const auto before = counts_now();
  constexpr int messages = 5000;
  for (int sent = 0, back = 0; sent < messages || back < messages;) {
    const std::span<const std::byte> body(data.data(), random() % 4 == 0 ? random() % 4000 : random() % 100);
    if (sent < messages && to_second->send({.tag = sent}, {}, body) == Post::done) ++sent;
    if (random() % 2 == 0 && back < messages && to_first->send({.tag = back}, {}, body) == Post::done) ++back;
    if (random() % 20 == 0) at_second.refusals = static_cast<int>(random() % 4);
    if (random() % 10 == 0) first.poll(at_first);
    if (random() % 10 == 0) second.poll(at_second);
  }
  until([&] { return at_second.arrivals.size() >= messages && at_first.arrivals.size() >= messages; });
  expect_in_order(at_second, messages);
  expect_in_order(at_first, messages);
  EXPECT_GT(counts_now().sends - before.sends, 1000U);
  EXPECT_GT(counts_now().writes - before.writes, 1000U);
}

TEST_F(VerbsRings, AMessageThatOvertakesTheRingBringsWhatIsInIt) {
  talk_until_ring();
  for (int tag = 0; tag < 3; ++tag) write(tag);
  ASSERT_EQ(to_second->send({.tag = 3}, {}, pattern(4000, 1)), Post::done);
  write(4);
  until([&] { return at_second.arrivals.size() == 5; });
  expect_in_order(at_second, 5);
}

/// A full ring is no reason to wait, nor does a ring use credits.
TEST_F(VerbsRings, WhatTheRingHasNoSlotForGoesThroughTheQueue) {
  talk_until_ring();
  for (int tag = 0; tag < static_cast<int>(ring_slots); ++tag) write(tag);
  const auto before = counts_now();
  int sent = ring_slots;
  while (to_second->send({.tag = sent}, {}, {}) == Post::done) ++sent;
  EXPECT_EQ(counts_now().writes, before.writes);
  EXPECT_GT(counts_now().sends, before.sends + ring_slots / 2);
  until([&] { return at_second.arrivals.size() == static_cast<std::size_t>(sent); });
  expect_in_order(at_second, static_cast<std::size_t>(sent));
}

TEST_F(VerbsRings, WhoTakesMessagesSoonTellsOfFreeSlotsInTime) {
  talk_until_ring();
  for (int tag = 0; tag < 10 * static_cast<int>(ring_slots); ++tag) {
    write(tag);
    second.poll(at_second);
    ASSERT_EQ(at_second.arrivals.size(), static_cast<std::size_t>(tag) + 1);
    first.poll(at_first);
  }
  expect_in_order(at_second, 10 * std::size_t{ring_slots});
}

TEST_F(VerbsRings, WithoutRingsNothingIsWritten) {
  const test::Setting off{"verbs_rings", "0"};
  VerbsDevice receiver{adapter, 5, 9, "elsewhere"};
  Collector at_receiver;
  const auto to_receiver = connect(first, 5, receiver);
  const auto before = counts_now();
  for (int sent = 0; sent < 1000;) {
    if (to_receiver->send({.tag = sent}, {}, {}) == Post::done) ++sent;
    first.poll(at_first);
    receiver.poll(at_receiver);
  }
  until([&] { return receiver.poll(at_receiver), at_receiver.arrivals.size() == 1000; });
  expect_in_order(at_receiver, 1000);
  EXPECT_TRUE(receiver.rings().given().empty());
  EXPECT_EQ(counts_now().writes, before.writes);
}

/// Two senders and one ring, which goes to who talks more.
TEST_F(VerbsRings, ARingIsWithdrawnFromWhoTalksLessAndTheirNumberIsBounded) {
  const test::Setting one{"verbs_rings", "1"};
  VerbsDevice receiver{adapter, 5, 9, "elsewhere"};
  Collector at_receiver;
  const std::array endpoints{connect(first, 5, receiver), connect(second, 5, receiver)};
  const std::array ranks{3, 8};
  std::array<int, 2> sent{};
  for (int round = 0; round < 20; ++round) {
    const std::size_t talker = static_cast<std::size_t>(round) % 2;
    for (int i = 0; i < 2000; ++i) {
      const std::size_t who = i % 50 == 0 ? 1 - talker : talker;
      if (endpoints[who]->send({.tag = sent[who]}, {}, {}) == Post::done) ++sent[who];
      first.poll(at_first);
      second.poll(at_second);
      receiver.poll(at_receiver);
      ASSERT_LE(receiver.rings().given().size(), 1U);
    }
    ASSERT_EQ(receiver.rings().given().size(), 1U) << round;
    EXPECT_EQ(receiver.rings().given().front()->owner()->peer(), ranks[talker]) << round;
  }
  const auto all = static_cast<std::size_t>(sent[0] + sent[1]);
  until([&] { return receiver.poll(at_receiver), at_receiver.arrivals.size() == all; });
  for (std::size_t who = 0; who < 2; ++who) {
    int next = 0;
    for (const Arrival& each : at_receiver.arrivals) {
      if (each.peer != ranks[who]) continue;
      ASSERT_EQ(each.header.tag, next++);
    }
    EXPECT_EQ(next, sent[who]);
  }
}

TEST_F(VerbsRings, WhatIsInTheRingWhenTheLinkFailsComesOnce) {
  talk_until_ring();
  for (int tag = 0; tag < 5; ++tag) write(tag);
  fabric_link_down(0, 1, 800);  // longer than the adapter repeats
  for (int tag = 5; tag < 10; ++tag) ASSERT_EQ(to_second->send({.tag = tag}, {}, {}), Post::done);
  until([&] {
    static_cast<void>(first.drained());
    return at_second.arrivals.size() == 10;
  });
  expect_in_order(at_second, 10);
  EXPECT_GT(counts_now().failed, 0U) << "the link has not failed";
  EXPECT_TRUE(second.rings().given().empty()) << "the ring belongs to the queue pair that is gone";
  at_second.arrivals.clear();
  talk_until_ring();
  write(0);
  until([&] { return at_second.arrivals.size() == 1; });
}

/// The receiver learns of the failure by its own request, before it has polled the full ring.
TEST_F(VerbsRings, AFullRingIsTakenBeforeTheLinkIsMadeAgain) {
  const auto to_first = connect(second, 3, first);
  talk_until_ring();
  for (int tag = 0; tag < static_cast<int>(ring_slots); ++tag) write(tag);
  until_acknowledged();
  fabric_link_down(0, 1, 1000);
  ASSERT_EQ(to_first->send({}, {}, {}), Post::done);
  for (const auto deadline = Clock::now() + patience; counts_now().failed == 0;) ASSERT_LT(Clock::now(), deadline);
  until([&] { return at_second.arrivals.size() >= ring_slots; });
  send(*to_second, {.tag = static_cast<int>(ring_slots)}, {}, {});
  until([&] { return at_second.arrivals.size() > ring_slots; });
  expect_in_order(at_second, std::size_t{ring_slots} + 1);
  EXPECT_FALSE(to_second->lost() || to_first->lost());
}

TEST_F(VerbsRings, WhatIsInTheRingComesBeforeTheSenderHasLeft) {
  auto guest = std::make_unique<VerbsDevice>(adapter, 5, 9, "elsewhere");
  Collector at_guest;
  auto guest_to_second = connect(*guest, 8, second);
  int sent = 0;
  for (; second.rings().given().empty(); ++sent) {
    ASSERT_LT(sent, 1000);
    until([&] { return guest->poll(at_guest), guest_to_second->send({.tag = sent}, {}, {}) == Post::done; });
  }
  until([&] { return guest->poll(at_guest), at_second.arrivals.size() == static_cast<std::size_t>(sent); });
  const auto before = counts_now();
  for (int i = 0; i < 10; ++i, ++sent) ASSERT_EQ(guest_to_second->send({.tag = sent}, {}, {}), Post::done);
  ASSERT_EQ(counts_now().writes, before.writes + 10);
  guest_to_second.reset();
  guest.reset();
  at_second.refusals = 3;
  const auto back = second.connect(5, first.address());
  until([&] { return back->left(); });
  expect_in_order(at_second, static_cast<std::size_t>(sent));
  EXPECT_FALSE(back->lost());
  EXPECT_TRUE(second.rings().given().empty());
}

TEST_F(VerbsRings, ASleeperHearsOfAMessageOfAPeerThatHasARing) {
  talk_until_ring();
  write(0);
  EXPECT_TRUE(second.ready()) << "a message is in the ring";
  a_sleeper_hears_of_a_message();
}

TEST_F(VerbsRings, AfterASleepTheRingIsUsedAgain) {
  talk_until_ring();
  const auto deadline = Clock::now() + patience;
  while (second.ready() && Clock::now() < deadline) second.poll(at_second);
  const auto before = counts_now();
  for (int tag = 0; tag < 100; ++tag) {
    send(*to_second, {.tag = tag}, {}, {});
    until([&] { return at_second.arrivals.size() == static_cast<std::size_t>(tag) + 1; });
  }
  expect_in_order(at_second, 100);
  EXPECT_GE(counts_now().sends, before.sends + RingPool::for_opening);
  EXPECT_GT(counts_now().writes, before.writes + 50);
  EXPECT_EQ(second.rings().given().size(), 1U);
}

/// A thread sends at random moments, while the receiver goes to sleep and wakes. The sleep is longer than all pauses,
/// so one that ends by itself has missed a message.
TEST_F(VerbsRings, NoMessageLeavesASleeperAsleep) {
  talk_until_ring();
  constexpr int messages = 20'000;
  std::atomic<int> taken{0};
  std::atomic<bool> stop{false};
  std::thread sender([&] {
    std::mt19937 random(test::seeds().front());
    for (int tag = 0; tag < messages && !stop.load();) {
      // Mostly in bursts, so that the ring is open; now and then about as long as the receiver needs to close it.
      const bool pauses = random() % 40 == 0;
      if (pauses) {
        while (taken.load() < tag && !stop.load()) first.poll(at_first);
        for (unsigned i = random() % 2000; i > 0; --i) std::atomic_signal_fence(std::memory_order_seq_cst);
      }
      if (to_second->send({.tag = tag}, {}, {}) == Post::done) ++tag;
      first.poll(at_first);
    }
    while (!stop.load()) first.poll(at_first);
  });
  const auto before = counts_now();
  int sleeps = 0, missed = 0;
  const auto deadline = Clock::now() + 4 * patience;
  while (at_second.arrivals.size() < messages && missed == 0 && Clock::now() < deadline) {
    const bool something = second.poll(at_second) != 0;
    taken.store(static_cast<int>(at_second.arrivals.size()));
    if (something || second.ready()) continue;
    ++sleeps;
    pollfd descriptor{second.descriptor(), POLLIN, 0};
    if (poll(&descriptor, 1, 5000) == 0) ++missed;
  }
  stop.store(true);
  sender.join();
  EXPECT_EQ(missed, 0) << "after " << at_second.arrivals.size() << " messages and " << sleeps << " sleeps";
  expect_in_order(at_second, messages);
  EXPECT_GT(sleeps, 50);
  EXPECT_GT(counts_now().writes, before.writes + 1000);
}

}  // namespace
}  // namespace bowline::verbs
