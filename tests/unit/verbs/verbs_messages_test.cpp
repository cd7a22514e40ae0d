// SPDX-License-Identifier: BSD-3-Clause
// verbs: messages between two devices.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/seed.hpp"
#include "two_verbs_devices.hpp"

namespace bowline::verbs {
namespace {

TEST_F(Verbs, AMessageArrivesAsItWasSent) {
  const Bytes prefix = pattern(24, 1);
  const Bytes body = pattern(100, 2);
  send(*to_second, {.context = 7, .source = -2, .tag = 9, .kind = 4}, prefix, body);
  until([&] { return !at_second.arrivals.empty(); });
  const Arrival& got = at_second.arrivals.front();
  EXPECT_EQ(got.peer, 3);
  EXPECT_EQ(got.header.context, 7U);
  EXPECT_EQ(got.header.source, -2);
  EXPECT_EQ(got.header.tag, 9);
  EXPECT_EQ(got.header.kind, 4);
  EXPECT_EQ(got.prefix, prefix);
  EXPECT_EQ(got.body, body);
}

TEST_F(Verbs, EveryLengthUpToTheLimitIsCopiedBeforeSendReturns) {
  const std::size_t longest = to_second->limits().max_body;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{250}, std::size_t{4095}, longest}) {
    Bytes body = pattern(bytes, 3);
    send(*to_second, {}, {}, body);
    std::ranges::fill(body, std::byte{0});
    until([&] { return !at_second.arrivals.empty(); });
    EXPECT_EQ(at_second.arrivals.front().body, pattern(bytes, 3)) << bytes;
    at_second.arrivals.clear();
  }
}

TEST_F(Verbs, AProcessOfAnotherJobKnowsThisOneByAnotherIndex) {
  VerbsDevice other{adapter, 0, 2, "in another job"};  // 2 are of its own job; then 9 of the one of `first`
  Collector at_other;
  first.grow_to(11, 5);
  other.grow_to(11, 9);
  const auto there = connect(first, 9, other);
  const auto back = connect(other, 5, first);
  until([&] {
    other.poll(at_other);
    return there->send({.tag = 1}, {}, {}) == Post::done;
  });
  until([&] {
    other.poll(at_other);
    return back->send({.tag = 2}, {}, {}) == Post::done;
  });
  send(*to_second, {.tag = 3}, {}, {});
  until([&] {
    other.poll(at_other);
    return !at_other.arrivals.empty() && !at_first.arrivals.empty() && !at_second.arrivals.empty();
  });
  EXPECT_EQ(at_other.arrivals.front().peer, 5);
  EXPECT_EQ(at_first.arrivals.front().peer, 9);
  EXPECT_EQ(at_second.arrivals.front().peer, 3);  // within the job nothing has changed
}

TEST_F(Verbs, MessagesComeInOrderAndOnceInBothDirections) {
  const auto to_first = connect(second, 3, first);  // both greet
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const Bytes data = pattern(5000, 5);
    constexpr int messages = 3000;
    int refused = 0;
    for (int sent = 0, back = 0; sent < messages || back < messages;) {
      const std::span<const std::byte> body(data.data(), random() % 3 == 0 ? random() % 4000 : random() % 200);
      const bool forth = sent < messages && to_second->send({.tag = sent}, {}, body) == Post::done;
      if (forth) ++sent;
      if (random() % 2 == 0 && back < messages && to_first->send({.tag = back}, {}, body) == Post::done) ++back;
      if (forth) continue;
      ++refused;
      first.poll(at_first);
      second.poll(at_second);
    }
    until([&] { return at_second.arrivals.size() >= messages && at_first.arrivals.size() >= messages; });
    for (Collector* const each : {&at_first, &at_second}) {
      ASSERT_EQ(each->arrivals.size(), std::size_t{messages});
      for (int i = 0; i < messages; ++i) {
        const Arrival& got = each->arrivals[static_cast<std::size_t>(i)];
        ASSERT_EQ(got.header.tag, i);
        ASSERT_TRUE(std::ranges::equal(got.body, std::span(data).first(got.body.size())));
      }
      each->arrivals.clear();
    }
    EXPECT_GT(refused, 0);
  }
}

TEST_F(Verbs, WhatTheSinkCannotTakeIsDeliveredAgainAndInOrder) {
  at_second.refusals = 3;
  for (int tag = 0; tag < 10; ++tag) send(*to_second, {.tag = tag}, {}, {});
  until([&] { return at_second.arrivals.size() == 10; });
  EXPECT_EQ(at_second.refusals, 0);
  for (int tag = 0; tag < 10; ++tag) EXPECT_EQ(at_second.arrivals[static_cast<std::size_t>(tag)].header.tag, tag);
}

TEST_F(Verbs, ASleeperHearsOfAMessage) {
  send(*to_second, {}, {}, {});
  until([&] { return !at_second.arrivals.empty(); });
  const auto deadline = Clock::now() + patience;
  while (second.ready() && Clock::now() < deadline) second.poll(at_second);
  pollfd descriptor{second.descriptor(), POLLIN, 0};
  ASSERT_EQ(poll(&descriptor, 1, 50), 0) << "woken by nothing";
  ASSERT_EQ(to_second->send({}, {}, {}), Post::done);
  ASSERT_EQ(poll(&descriptor, 1, 10000), 1) << "not woken";
  EXPECT_TRUE(second.ready());
  until([&] { return at_second.arrivals.size() == 2; });
}

TEST_F(Verbs, ASleeperHearsOfAGreeting) {
  const auto deadline = Clock::now() + patience;
  while (second.ready() && Clock::now() < deadline) second.poll(at_second);
  const auto to_first = connect(first, 8, second);
  pollfd descriptor{second.descriptor(), POLLIN, 0};
  while (poll(&descriptor, 1, 0) == 0 && Clock::now() < deadline) first.poll(at_first);
  EXPECT_TRUE(second.ready());
}

TEST_F(Verbs, DrainedMeansThatEverythingHasLeft) {
  const Bytes data = pattern(4000, 1);
  std::size_t sent = 0;
  send(*to_second, {}, {}, data);
  for (++sent; to_second->send({}, {}, data) == Post::done;) ++sent;
  EXPECT_FALSE(first.drained());
  until([&] { return first.drained(); });
  until([&] { return at_second.arrivals.size() == sent; });
}

TEST_F(Verbs, WhoHasEndedProperlyHasLeftAndIsNotLost) {
  {
    VerbsDevice guest{adapter, 5, 9, "elsewhere"};
    const auto to_second_too = connect(guest, 8, second);
    Collector at_guest;
    until([&] {
      guest.poll(at_guest);
      return to_second_too->send({.tag = 4}, {}, {}) == Post::done;
    });
    second.poll(at_second);
  }
  const auto back = second.connect(5, first.address());
  until([&] { return back->left(); });
  EXPECT_FALSE(back->lost());
  EXPECT_EQ(second.lost_peers(), 0U);
  ASSERT_EQ(at_second.arrivals.size(), 1U);
  EXPECT_EQ(back->send({}, {}, {}), Post::retry);
}

TEST_F(Verbs, AnAddressThatHasArrivedDamagedIsRefused) {
  for (std::size_t at = sizeof(std::uint64_t); at < second.address().size(); ++at) {
    transport::Address damaged = second.address();
    damaged[at] ^= std::byte{1};
    EXPECT_THROW(static_cast<void>(first.connect(7, damaged)), Error) << at;
  }
}

TEST_F(Verbs, BothSidesAreToldOfAnotherVersion) {
  transport::Address other = second.address();
  const std::uint64_t version = 99;
  std::memcpy(other.data(), &version, sizeof version);
  std::string text;
  try {
    static_cast<void>(first.connect(7, other));
  } catch (const Error& error) {
    text = error.what();
  }
  EXPECT_NE(text.find("rank 7 speaks version 99"), std::string::npos) << text;
}

}  // namespace
}  // namespace bowline::verbs
