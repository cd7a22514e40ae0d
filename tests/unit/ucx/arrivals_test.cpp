// SPDX-License-Identifier: BSD-3-Clause
// ucx: in what order messages reach the sink.
#include "ucx/arrivals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

#include "support/seed.hpp"
#include "two_devices.hpp"

namespace bowline::ucx {
namespace {

struct Message {
  int sender;
  std::uint32_t sequence;
};

class UcxArrivals : public testing::Test {
 protected:
  void take(int sender, std::uint32_t sequence) {
    const Bytes prefix = pattern(sequence % 5, sequence);
    const Bytes body = pattern(sequence % 7, sequence + 1);
    const WireHeader header{
        sender, sequence, static_cast<std::uint32_t>(prefix.size()), {.tag = static_cast<std::int32_t>(sequence)}};
    arrivals.take(header, prefix, body);
  }
  /// The numbers of the messages that have come from one sender, in the order in which they came.
  std::vector<std::uint32_t> got(int sender) const {
    std::vector<std::uint32_t> numbers;
    for (const Arrival& arrival : sink.arrivals)
      if (arrival.peer == sender) numbers.push_back(static_cast<std::uint32_t>(arrival.header.tag));
    return numbers;
  }
  void expect_whole() const {
    for (const Arrival& arrival : sink.arrivals) {
      const auto number = static_cast<std::uint32_t>(arrival.header.tag);
      EXPECT_EQ(arrival.prefix, pattern(number % 5, number));
      EXPECT_EQ(arrival.body, pattern(number % 7, number + 1));
    }
  }

  Collector sink;
  Arrivals arrivals;
};

using Numbers = std::vector<std::uint32_t>;

TEST_F(UcxArrivals, AMessageThatOvertakesOthersWaitsForThem) {
  arrivals.begin(sink);
  for (const std::uint32_t sequence : {2U, 0U, 3U}) take(1, sequence);
  EXPECT_EQ(got(1), (Numbers{0}));
  take(2, 0);  // others have nothing to do with it
  EXPECT_EQ(got(2), (Numbers{0}));
  take(1, 1);
  EXPECT_EQ(got(1), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(arrivals.end(), 5U);
  expect_whole();
}

TEST_F(UcxArrivals, AnyOrderOfManySendersIsPutRight) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    arrivals = Arrivals();
    sink.arrivals.clear();
    std::vector<Message> all;
    for (std::uint32_t i = 0; i < 300; ++i) all.push_back({static_cast<int>(i % 3), i / 3});
    std::ranges::shuffle(all, random);
    unsigned delivered = 0;
    for (std::size_t i = 0; i < all.size();) {
      arrivals.begin(sink);
      const std::size_t until = std::min(all.size(), i + 1 + random() % 20);
      for (; i < until; ++i) take(all[i].sender, all[i].sequence);
      delivered += arrivals.end();
    }
    EXPECT_EQ(delivered, all.size());
    for (int sender = 0; sender < 3; ++sender) {
      const Numbers numbers = got(sender);
      EXPECT_EQ(numbers.size(), 100U);
      EXPECT_TRUE(std::ranges::is_sorted(numbers));
    }
    expect_whole();
  }
}

TEST_F(UcxArrivals, WhatTheSinkRefusesKeepsWhatComesAfterItWaiting) {
  sink.refusals = 2;
  arrivals.begin(sink);
  for (const std::uint32_t sequence : {0U, 1U, 2U}) take(1, sequence);
  EXPECT_TRUE(sink.arrivals.empty());
  EXPECT_TRUE(arrivals.waiting());
  EXPECT_THROW(arrivals.end(), std::runtime_error);
  EXPECT_THROW(arrivals.begin(sink), std::runtime_error);
  EXPECT_TRUE(arrivals.waiting());
  arrivals.begin(sink);
  take(1, 3);
  EXPECT_EQ(arrivals.end(), 4U);
  EXPECT_FALSE(arrivals.waiting());
  EXPECT_EQ(got(1), (Numbers{0, 1, 2, 3}));
  expect_whole();
}

TEST_F(UcxArrivals, NobodyHearsOfWhatComesAfterTheEnd) {
  arrivals.begin(sink);
  take(1, 0);
  EXPECT_EQ(arrivals.end(), 1U);
  arrivals.stop();
  take(1, 1);
  EXPECT_EQ(got(1), (Numbers{0}));
}

}  // namespace
}  // namespace bowline::ucx
