// SPDX-License-Identifier: BSD-3-Clause
// ucx: in what order messages reach the sink.
#include "ucx/arrivals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
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
    arrivals.take(front(sender, sequence, prefix), body);
  }
  static Bytes front(int sender, std::uint32_t sequence, const Bytes& prefix) {
    return front({.sender = sender,
                  .sequence = sequence,
                  .version = transport::wire_version,
                  .prefix_bytes = static_cast<std::uint8_t>(prefix.size()),
                  .unused = 0,
                  .message = {.tag = static_cast<std::int32_t>(sequence)}},
                 prefix);
  }
  static Bytes front(const WireHeader& header, const Bytes& prefix) {
    const auto bytes = std::as_bytes(std::span(&header, 1));
    Bytes all(bytes.begin(), bytes.end());
    all.insert(all.end(), prefix.begin(), prefix.end());
    return all;
  }
  /// Takes the message, which breaks the traffic of rank 1 off, and returns why.
  std::string refusal(const Bytes& header, const Bytes& data) {
    sink.may_break = true;
    sink.broken_off.clear();
    arrivals.begin(sink);
    arrivals.take(header, data);
    EXPECT_EQ(arrivals.end(), 0U);
    if (sink.broken_off.size() != 1 || sink.broken_off[0].first != 1) return "nothing was refused";
    return sink.broken_off[0].second;
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
  Arrivals arrivals{8};
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
    arrivals = Arrivals(8);
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
  EXPECT_EQ(arrivals.end(), 0U);
  arrivals.begin(sink);
  EXPECT_TRUE(arrivals.waiting());
  arrivals.begin(sink);
  take(1, 3);
  EXPECT_EQ(arrivals.end(), 4U);
  EXPECT_FALSE(arrivals.waiting());
  EXPECT_EQ(got(1), (Numbers{0, 1, 2, 3}));
  expect_whole();
}

TEST_F(UcxArrivals, ProcessesThatBecomeKnownAreHeard) {
  arrivals.begin(sink);
  take(8, 0);
  EXPECT_EQ(arrivals.end(), 0U);
  arrivals.grow_to(9);
  take(8, 0);
  EXPECT_EQ(arrivals.end(), 1U);
}

TEST_F(UcxArrivals, NobodyHearsOfWhatComesAfterTheEnd) {
  arrivals.begin(sink);
  take(1, 0);
  EXPECT_EQ(arrivals.end(), 1U);
  arrivals.stop();
  take(1, 1);
  EXPECT_EQ(got(1), (Numbers{0}));
}

// ---- what is wrong

TEST_F(UcxArrivals, AnotherVersionIsNamedWithOurs) {
  WireHeader other{};
  other.sender = 1;
  other.version = 77;
  const std::string text = refusal({}, front(other, {}));
  EXPECT_NE(text.find("rank 1 speaks version 77"), std::string::npos) << text;
  EXPECT_NE(text.find("this process version " + std::to_string(transport::wire_version)), std::string::npos) << text;
}

TEST_F(UcxArrivals, APrefixThatIsNotThere) {
  WireHeader header{};
  header.sender = 1;
  header.version = transport::wire_version;
  for (const int bytes : {1, 64, 65, 255}) {
    header.prefix_bytes = static_cast<std::uint8_t>(bytes);
    const Bytes prefix(bytes <= 64 ? static_cast<std::size_t>(bytes) - 1 : 300);
    const std::string said = std::to_string(bytes) + " bytes are said to stand before its body";
    EXPECT_NE(refusal(front(header, prefix), Bytes(100)).find(said), std::string::npos) << bytes;
    EXPECT_NE(refusal({}, front(header, prefix)).find(said), std::string::npos) << bytes;
  }
}

TEST_F(UcxArrivals, AMessageThatComesTwiceIsTheLastOfItsSender) {
  arrivals.begin(sink);
  for (const std::uint32_t sequence : {0U, 1U, 3U}) take(1, sequence);
  const std::string text = refusal(front(1, 3, {}), {});
  EXPECT_NE(text.find("number 3, which has come already"), std::string::npos) << text;
  sink.broken_off.clear();
  arrivals.begin(sink);
  take(1, 2);
  take(2, 0);
  EXPECT_EQ(got(1), (Numbers{0, 1}));
  EXPECT_EQ(got(2), (Numbers{0}));
  take(3, 0);
  EXPECT_TRUE(sink.broken_off.empty());
  take(3, 0);
  ASSERT_EQ(sink.broken_off.size(), 1U);
  EXPECT_EQ(sink.broken_off[0].first, 3);
}

// Numbers count modulo 2^32: this one comes before number 0, not long after it.
TEST_F(UcxArrivals, TheNumberBeforeTheFirstHasComeAlready) {
  const std::string text = refusal(front(1, 0xffffffffU, {}), {});
  EXPECT_NE(text.find("number 4294967295, which has come already"), std::string::npos) << text;
}

TEST_F(UcxArrivals, WhatNobodyHasSentIsNotDelivered) {
  arrivals.begin(sink);
  for (const int sender : {-1, 8, 1 << 30}) arrivals.take(front(sender, 0, {}), {});
  for (std::size_t bytes = 1; bytes < sizeof(WireHeader); ++bytes) {
    arrivals.take({}, Bytes(bytes));
    arrivals.take(Bytes(bytes), Bytes(100));
  }
  EXPECT_EQ(arrivals.end(), 0U);
  EXPECT_TRUE(sink.arrivals.empty());
  EXPECT_TRUE(sink.broken_off.empty());
}

}  // namespace
}  // namespace bowline::ucx
