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
  a_message_arrives_as_it_was_sent();
}

TEST_F(Ucx, AProcessOfAnotherJobKnowsThisOneByAnotherIndex) {
  a_process_of_another_job_knows_this_one_by_another_index();
}

TEST_F(Ucx, EveryLengthUpToTheLimitIsCopiedBeforeSendReturns) {
  every_length_up_to_the_limit_is_copied_before_send_returns();
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
  what_the_sink_cannot_take_is_delivered_again_and_in_order();
}

TEST_F(Ucx, ASleeperHearsOfAMessage) {
  a_sleeper_hears_of_a_message();
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
  an_address_that_has_arrived_damaged_is_refused();
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
