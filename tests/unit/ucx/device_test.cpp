// SPDX-License-Identifier: BSD-3-Clause
// ucx: messages between two devices.
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/seed.hpp"
#include "two_devices.hpp"

namespace bowline::ucx {
namespace {

TEST_F(Ucx, AMessageArrivesAsItWasSent) {
  const Bytes prefix = pattern(24, 1);
  const Bytes body = pattern(100, 2);
  ASSERT_EQ(to_second->send({.context = 7, .source = -2, .tag = 9, .kind = 4}, prefix, body), Post::done);
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

TEST_F(Ucx, AProcessOfAnotherJobKnowsThisOneByAnotherIndex) {
  UcxDevice other{context, 0, 2, "in another job"};  // 2 are of its own job; then 9 of the one of `first`
  Collector at_other;
  first.grow_to(11, 5);
  other.grow_to(11, 9);
  const auto there = connect(first, 9, other);
  const auto back = connect(other, 5, first);
  ASSERT_EQ(there->send({.tag = 1}, {}, {}), Post::done);
  ASSERT_EQ(back->send({.tag = 2}, {}, {}), Post::done);
  ASSERT_EQ(to_second->send({.tag = 3}, {}, {}), Post::done);
  until([&] {
    other.poll(at_other);
    return !at_other.arrivals.empty() && !at_first.arrivals.empty() && !at_second.arrivals.empty();
  });
  EXPECT_EQ(at_other.arrivals.front().peer, 5);
  EXPECT_EQ(at_first.arrivals.front().peer, 9);
  EXPECT_EQ(at_second.arrivals.front().peer, 3);  // within the job nothing has changed
}

TEST_F(Ucx, EveryLengthUpToTheLimitIsCopiedBeforeSendReturns) {
  const std::size_t longest = to_second->limits().max_body;
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, std::size_t{4095}, std::size_t{8192}, longest}) {
    Bytes body = pattern(bytes, 3);
    while (to_second->send({}, {}, body) == Post::retry) second.poll(at_second);
    std::ranges::fill(body, std::byte{0});
    until([&] { return !at_second.arrivals.empty(); });
    EXPECT_EQ(at_second.arrivals.front().body, pattern(bytes, 3)) << bytes;
    at_second.arrivals.clear();
  }
}

TEST_F(Ucx, MessagesComeInOrderAndOnceWhateverTheirLength) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    Ends ends;
    const Bytes data = pattern(60000, 5);
    constexpr int messages = 2000;
    int refused = 0;
    int begun = 0;
    for (int sent = 0; sent < messages;) {
      const std::size_t bytes = random() % 3 == 0 ? random() % 56000 : random() % 200;
      const std::span<const std::byte> body(data.data(), bytes);
      const bool posts = bytes > to_second->limits().max_body || random() % 4 == 0;
      const Header header{.tag = sent};
      const Post post = posts ? to_second->post(header, {}, one_run(body), ends) : to_second->send(header, {}, body);
      if (post == Post::begun) ++begun;
      if (post != Post::retry) {
        ++sent;
      } else {
        ++refused;
        first.poll(at_first);
        second.poll(at_second);
      }
    }
    until([&] { return at_second.arrivals.size() >= messages && ends.count == begun; });
    ASSERT_EQ(at_second.arrivals.size(), std::size_t{messages});
    for (int i = 0; i < messages; ++i) {
      const Arrival& got = at_second.arrivals[static_cast<std::size_t>(i)];
      ASSERT_EQ(got.header.tag, i);
      ASSERT_TRUE(std::ranges::equal(got.body, std::span(data).first(got.body.size())));
    }
    EXPECT_GT(refused, 0);
    EXPECT_GT(begun, 0);
    at_second.arrivals.clear();
  }
}

TEST_F(Ucx, WhatTheSinkCannotTakeIsDeliveredAgainAndInOrder) {
  at_second.refusals = 3;
  for (int tag = 0; tag < 10; ++tag) ASSERT_EQ(to_second->send({.tag = tag}, {}, {}), Post::done);
  until([&] { return at_second.arrivals.size() == 10; });
  EXPECT_EQ(at_second.refusals, 0);
  ASSERT_EQ(at_second.arrivals.size(), 10U);
  for (int tag = 0; tag < 10; ++tag) EXPECT_EQ(at_second.arrivals[static_cast<std::size_t>(tag)].header.tag, tag);
}

TEST_F(Ucx, ASleeperHearsOfAMessage) {
  ASSERT_EQ(to_second->send({}, {}, {}), Post::done);
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

TEST_F(Ucx, AListOfBlocksArrivesAsOneBodyAndMayBeForgottenAtOnce) {
  const std::size_t most = to_second->limits().max_iov;
  Bytes data = pattern(most * 8'000, 7);
  const Bytes prefix = pattern(24, 1);
  Ends ends;
  int begun = 0;
  std::vector<Bytes> expected;
  // More than the socket takes, so that UCX comes back to lists that are gone here.
  for (std::size_t count = 0; expected.size() < 200; count = (count + 1) % most) {
    std::vector<iovec> runs;
    Bytes body;
    for (std::size_t i = 0; i <= count; ++i) {
      const std::size_t length = i % 4 == 3 ? 1 : 500 * (i + 1);
      runs.push_back({&data[(most - 1 - i) * 8'000], length});
      const auto* const from = static_cast<const std::byte*>(runs.back().iov_base);
      body.insert(body.end(), from, from + length);
    }
    Post post = Post::retry;
    while (post == Post::retry) {
      post = to_second->post({.tag = static_cast<std::int32_t>(count)}, prefix, runs, ends);
      if (post != Post::retry) break;
      first.poll(at_first);
      second.poll(at_second);
    }
    if (post == Post::begun) ++begun;
    std::ranges::fill(runs, iovec{nullptr, 1 << 30});
    expected.push_back(std::move(body));
  }
  EXPECT_GT(begun, 0);
  until([&] { return at_second.arrivals.size() == expected.size() && ends.count == begun; });
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(at_second.arrivals[i].header.tag, static_cast<std::int32_t>(i % most));
    EXPECT_EQ(at_second.arrivals[i].prefix, prefix);
    ASSERT_TRUE(at_second.arrivals[i].body == expected[i]) << "message " << i;
  }
  EXPECT_TRUE(ends.failures.empty());
}

TEST_F(Ucx, DrainedMeansThatEverythingHasLeft) {
  Ends ends;
  const Bytes data = pattern(56000, 1);
  int posted = 0;
  while (to_second->post({}, {}, one_run(data), ends) != Post::retry) ++posted;
  EXPECT_FALSE(first.drained());
  until([&] { return first.drained(); });
  until([&] { return at_second.arrivals.size() == static_cast<std::size_t>(posted); });
}

TEST_F(Ucx, BothSidesAreToldOfAnotherVersion) {
  transport::Address other = second.address();
  const std::uint64_t version = 99;
  std::memcpy(other.data(), &version, sizeof version);
  std::string text;
  try {
    static_cast<void>(first.connect(8, other));
  } catch (const Error& error) {
    text = error.what();
  }
  EXPECT_NE(text.find("rank 8 speaks version 99"), std::string::npos) << text;
  // What the other one hears is in this version, which it knows.
  until([&] { return !at_second.arrivals.empty(); });
  EXPECT_EQ(at_second.arrivals[0].peer, 3);
}

TEST_F(Ucx, AnAddressThatHasArrivedDamagedIsNotGivenToUcx) {
  for (std::size_t at = sizeof(std::uint64_t); at < second.address().size(); ++at) {
    transport::Address damaged = second.address();
    damaged[at] ^= std::byte{1};
    EXPECT_THROW(static_cast<void>(first.connect(8, damaged)), Error) << at;
  }
}

TEST_F(Ucx, AKeyThatHasArrivedDamagedIsNotGivenToUcx) {
  const auto to_first = connect(second, 3, first);
  const Bytes theirs = pattern(1000, 6);
  Bytes mine(theirs.size());
  Ends ends;
  const Bytes key = to_first->register_memory(theirs);
  for (std::size_t at = sizeof(std::uintptr_t); at < key.size(); ++at) {
    Bytes damaged = key;
    damaged[at] ^= std::byte{1};
    const transport::Remote source{reinterpret_cast<std::uintptr_t>(theirs.data()), damaged};
    EXPECT_THROW(static_cast<void>(to_second->get(source, mine, ends)), Error) << at;
    EXPECT_THROW(static_cast<void>(to_second->put(mine, source, ends)), Error) << at;
  }
  to_first->deregister(key);
}

TEST_F(Ucx, AnAddressThatIsTooShortIsRefusedWithASentence) {
  EXPECT_THROW(static_cast<void>(first.connect(5, {})), Error);
  try {
    static_cast<void>(first.connect(5, Bytes(3, std::byte{20})));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rank 5 published a UCX address of 3 bytes"), std::string::npos);
  }
}

}  // namespace
}  // namespace bowline::ucx
