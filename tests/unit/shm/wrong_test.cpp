// SPDX-License-Identifier: BSD-3-Clause
// shm: what a peer cannot have written, and peers of another version of the wire format.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/error.hpp"
#include "node/segment.hpp"
#include "shm_node.hpp"
#include "transport/version.hpp"

namespace bowline::shm {
namespace {

using transport::Post;

transport::Address telling(const InboxAddress& told) {
  transport::Address address(sizeof told);
  std::memcpy(address.data(), &told, sizeof told);
  return address;
}

TEST_F(ShmNode, BothSidesAreToldOfAnotherVersion) {
  InboxAddress other = told_by(second.address());
  other.version = transport::wire_version + 7;
  const std::string text = refusal(ErrorClass::other, [&] { first.connect(7, telling(other)); });
  EXPECT_NE(text.find("rank 7 speaks version " + std::to_string(other.version)), std::string::npos) << text;
  EXPECT_NE(text.find("this process version " + std::to_string(transport::wire_version)), std::string::npos) << text;
  EXPECT_TRUE(second.ready());
  // What the other side reads is which version this one speaks.
  EXPECT_EQ(second.poll(sink), 0U);
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_EQ(sink.failures[0].first, 3);
  const std::string said = "rank 3 speaks version " + std::to_string(transport::wire_version);
  EXPECT_NE(sink.failures[0].second.find(said), std::string::npos) << sink.failures[0].second;
  EXPECT_FALSE(second.ready());
}

TEST_F(ShmNode, AStrangerThatThereCannotBeIsNotHeard) {
  Memory memory(of_second);
  for (const std::uint64_t refused_by : {std::uint64_t{4}, std::uint64_t{0xffffffff}, std::uint64_t{5} << 32}) {
    memory.header().other_version = refused_by;
    ++memory.header().connections;
    EXPECT_EQ(second.poll(sink), 0U);
  }
  EXPECT_TRUE(sink.failures.empty());
}

TEST_F(ShmNode, WhatIsNoRecordBreaksItsProducerOff) {
  const auto from_first = first.connect(7, second.address());
  const auto from_third = third.connect(7, second.address());
  ASSERT_EQ(from_first->send({.tag = 1}, {}, {}), Post::done);
  drain(second, sink);
  ASSERT_EQ(from_first->send({.tag = 2}, {}, pattern(100, 1)), Post::done);
  RingView ring = Memory(of_second).ring(0);
  {
    Memory memory(of_second);
    ring = memory.ring(0);
    ring.stamp(1).store(Stamp::make(1, 0, ring_max_body(ring.count()) + 1));
    ASSERT_EQ(from_third->send({.tag = 3}, {}, {}), Post::done);
    EXPECT_EQ(second.poll(sink), 1U) << "the third rank's";
  }
  ASSERT_EQ(sink.failures.size(), 1U);
  EXPECT_EQ(sink.failures[0].first, 3);
  EXPECT_NE(sink.failures[0].second.find("the ring of rank 3 is no message"), std::string::npos)
      << sink.failures[0].second;
  EXPECT_FALSE(second.ready()) << "nothing of it is looked at any more";
  ASSERT_EQ(from_first->send({.tag = 4}, {}, {}), Post::done);
  ASSERT_EQ(from_third->send({.tag = 5}, {}, {}), Post::done);
  EXPECT_EQ(second.poll(sink), 1U);
  EXPECT_EQ(sink.failures.size(), 1U) << "it is said once";
  EXPECT_EQ(sink.arrivals.back().header.tag, 5);
}

TEST_F(ShmNode, AnInboxOfSizesThatCannotBeIsRefused) {
  Memory memory(of_second);
  const std::uint32_t lines = memory.header().ring_lines, ranks_there = memory.header().rings;
  for (const std::uint32_t wrong : {0U, 1U, lines - 1, lines + 1, 1U << 31}) {
    memory.header().ring_lines = wrong;
    const std::string text = refusal(ErrorClass::intern, [&] { first.connect(7, second.address()); });
    EXPECT_NE(text.find("rings of " + std::to_string(wrong) + " lines"), std::string::npos) << text;
  }
  memory.header().ring_lines = lines;
  for (const std::uint32_t wrong : {0U, ~0U}) {
    memory.header().rings = wrong;
    const std::string text = refusal(ErrorClass::intern, [&] { first.connect(7, second.address()); });
    EXPECT_NE(text.find("of rank 7 says that it has " + std::to_string(wrong)), std::string::npos) << text;
  }
  memory.header().rings = ranks_there;
  EXPECT_NO_THROW(static_cast<void>(first.connect(7, second.address())));
}

TEST_F(ShmNode, APeerThatSaysToHaveReadWhatWasNotWrittenIsLost) {
  const auto endpoint = first.connect(7, second.address());
  Memory memory(of_second);
  const RingView ring = memory.ring(0);
  while (endpoint->send({}, {}, {}) == Post::done) {
  }
  EXPECT_FALSE(endpoint->lost());
  ring.control().released = 1'000'000'000;
  EXPECT_EQ(endpoint->send({}, {}, {}), Post::retry);
  EXPECT_TRUE(endpoint->lost());
  EXPECT_NE(endpoint->loss().find("says to have read 1000000000 lines"), std::string::npos) << endpoint->loss();
}

}  // namespace
}  // namespace bowline::shm
