// SPDX-License-Identifier: BSD-3-Clause
// shm/device and shm/endpoint: several devices of one process, connected to each other as the processes of a node are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "shm/inbox.hpp"
#include "shm/shm_device.hpp"
#include "shm_node.hpp"
#include "support/setting.hpp"

namespace bowline::shm {
namespace {

using test::Setting;
using transport::Header;
using transport::Post;

std::size_t open_descriptors() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST_F(ShmNode, MessagesCarryTheWorldRankOfTheSender) {
  const auto from_first = first.connect(7, second.address());
  const auto from_third = third.connect(7, second.address());
  const auto prefix = pattern(24, 1);
  const auto body = pattern(1000, 2);
  const Header header{.context = 9, .source = -4, .tag = 77, .kind = 3};
  ASSERT_EQ(from_third->send(header, prefix, body), Post::done);
  drain(second, sink);
  ASSERT_EQ(from_first->send(header, {}, {}), Post::done);
  drain(second, sink);
  ASSERT_EQ(sink.arrivals.size(), 2U);
  EXPECT_EQ(sink.arrivals[0].peer, 12);
  EXPECT_EQ(sink.arrivals[0].header.context, 9U);
  EXPECT_EQ(sink.arrivals[0].header.source, -4);
  EXPECT_EQ(sink.arrivals[0].header.tag, 77);
  EXPECT_EQ(sink.arrivals[0].header.kind, 3);
  EXPECT_EQ(sink.arrivals[0].prefix, prefix);
  EXPECT_EQ(sink.arrivals[0].body, body);
  EXPECT_EQ(sink.arrivals[1].peer, 3);
  EXPECT_TRUE(sink.arrivals[1].body.empty());
  EXPECT_EQ(first.poll(sink), 0U) << "a message came back to its sender";
}

TEST_F(ShmNode, ADeviceTakesMessagesToItself) {
  const auto loop = second.connect(7, second.address());
  ASSERT_EQ(loop->send({.tag = 1}, {}, {}), Post::done);
  drain(second, sink);
  ASSERT_EQ(sink.arrivals.size(), 1U);
  EXPECT_EQ(sink.arrivals[0].peer, 7);
}

TEST_F(ShmNode, EverySizeUpToTheLimitArrives) {
  const auto endpoint = first.connect(7, second.address());
  const std::size_t longest = endpoint->limits().max_body;
  const std::size_t longest_prefix = endpoint->limits().max_prefix;
  EXPECT_GE(longest, 4096U);
  EXPECT_GE(longest_prefix, 24U);
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{1}, std::size_t{64}, longest / 2, longest - longest_prefix}) {
    const auto body = pattern(bytes, 5);
    const auto prefix = pattern(longest_prefix, 6);
    ASSERT_EQ(endpoint->send({}, prefix, body), Post::done);
    drain(second, sink);
    ASSERT_EQ(sink.arrivals.back().body, body);
    ASSERT_EQ(sink.arrivals.back().prefix, prefix);
  }
  const auto body = pattern(longest, 7);
  ASSERT_EQ(endpoint->send({}, {}, body), Post::done);
  drain(second, sink);
  EXPECT_EQ(sink.arrivals.back().body, body);
}

TEST_F(ShmNode, AFloodEndsInRetryAndLosesNothing) {
  const auto from_first = first.connect(7, second.address());
  const auto from_third = third.connect(7, second.address());
  int sent_first = 0;
  int sent_third = 0;
  for (int round = 0; round < 3; ++round) {
    while (from_first->send({.tag = sent_first}, {}, pattern(100, 0)) == Post::done) ++sent_first;
    while (from_third->send({.tag = sent_third}, {}, pattern(3000, 0)) == Post::done) ++sent_third;
    drain(second, sink);
  }
  EXPECT_GT(sent_first, 1000);
  EXPECT_GT(sent_third, 50);
  int next_first = 0;
  int next_third = 0;
  for (const Arrival& arrival : sink.arrivals) {
    EXPECT_EQ(arrival.header.tag, arrival.peer == 3 ? next_first++ : next_third++);
  }
  EXPECT_EQ(next_first, sent_first);
  EXPECT_EQ(next_third, sent_third);
}

TEST_F(ShmNode, OnePollTakesABoundedNumberFromEach) {
  const auto from_first = first.connect(7, second.address());
  const auto from_third = third.connect(7, second.address());
  for (int i = 0; i < 500; ++i) ASSERT_EQ(from_first->send({}, {}, {}), Post::done);
  ASSERT_EQ(from_third->send({}, {}, {}), Post::done);
  const unsigned taken = second.poll(sink);
  EXPECT_LT(taken, 500U);
  EXPECT_TRUE(std::ranges::any_of(sink.arrivals, [](const Arrival& a) { return a.peer == 12; }))
      << "a flood starved a peer";
}

TEST_F(ShmNode, MemoryIsTakenOnlyForPeersThatConnect) {
  EXPECT_EQ(memory_of(of_second), page_bytes);
  const auto endpoint = first.connect(7, second.address());
  EXPECT_GT(memory_of(of_second), page_bytes);
  EXPECT_LE(memory_of(of_second), 3 * page_bytes);
}

TEST_F(ShmNode, APairThatTalksLittleTakesLittleMemory) {
  const auto endpoint = first.connect(7, second.address());
  const std::size_t before = memory_of(of_second);
  for (int i = 0; i < 10'000; ++i) {
    ASSERT_EQ(endpoint->send({.tag = i}, {}, pattern(i % 1000, 1)), Post::done);
    drain(second, sink);
  }
  EXPECT_EQ(sink.arrivals.size(), 10'000U);
  EXPECT_EQ(memory_of(of_second), before);
}

TEST_F(ShmNode, APairThatTalksMuchHasTheWholeRing) {
  const auto endpoint = first.connect(7, second.address());
  for (unsigned i = 0; endpoint->send({}, {}, {}) == Post::done; ++i) ASSERT_LT(i, of_second.lines());
  EXPECT_EQ(memory_of(of_second), page_bytes + ring_stride(of_second.lines()));
  drain(second, sink);
  EXPECT_GE(sink.arrivals.size(), of_second.lines() - 1);
}

TEST_F(ShmNode, ALongMessageWidensTheRingAtOnce) {
  const auto endpoint = first.connect(7, second.address());
  const auto body = pattern(endpoint->limits().max_body, 1);
  ASSERT_EQ(endpoint->send({}, {}, body), Post::done);
  drain(second, sink);
  ASSERT_EQ(sink.arrivals.size(), 1U);
  EXPECT_EQ(sink.arrivals[0].body, body);
}

TEST_F(ShmNode, ConnectionsKeepNoDescriptor) {
  const std::size_t before = open_descriptors();
  const auto endpoint = first.connect(7, second.address());
  ASSERT_EQ(endpoint->send({}, {}, {}), Post::done);
  drain(second, sink);
  EXPECT_EQ(open_descriptors(), before);
}

TEST_F(ShmNode, AnEndpointOutlivesTheInboxOwner) {
  auto inbox = std::make_unique<Inbox>(ranks.size(), 1);
  auto gone = std::make_unique<ShmDevice>(*inbox, 0, 12, ranks);
  const auto endpoint = first.connect(12, gone->address());
  gone.reset();
  inbox.reset();
  EXPECT_EQ(endpoint->send({}, {}, {}), Post::done);  // nobody will read it, but nothing may break
}

// ---- what is refused

TEST_F(ShmNode, AnotherProcessThanTheOneToldOfIsRefused) {
  transport::Address address = second.address();
  InboxAddress told;
  std::memcpy(&told, address.data(), sizeof told);
  told.memory.secret ^= 1;
  std::memcpy(address.data(), &told, sizeof told);
  const std::string text = refusal(ErrorClass::other, [&] { first.connect(7, address); });
  EXPECT_NE(text.find("rank 7"), std::string::npos) << text;
  EXPECT_NE(text.find("namespace"), std::string::npos) << text;
  EXPECT_EQ(second.poll(sink), 0U);
}

TEST_F(ShmNode, AnAddressOfAnotherVersionIsRefused) {
  transport::Address address = second.address();
  address.push_back(std::byte{0});
  const std::string text = refusal(ErrorClass::intern, [&] { first.connect(7, address); });
  EXPECT_NE(text.find("same version"), std::string::npos) << text;
}

TEST_F(ShmNode, AnInboxThatIsGoneIsNamed) {
  transport::Address address = second.address();
  InboxAddress told;
  std::memcpy(&told, address.data(), sizeof told);
  told.memory.descriptor = 9999;
  told.memory.socket = 0;
  std::memcpy(address.data(), &told, sizeof told);
  const std::string text = refusal(ErrorClass::other, [&] { first.connect(7, address); });
  EXPECT_NE(text.find("/fd/9999"), std::string::npos) << text;
}

TEST_F(ShmNode, WhatCannotBeOpenedInProcIsAskedForAtTheDoor) {
  transport::Address address = second.address();
  InboxAddress told;
  std::memcpy(&told, address.data(), sizeof told);
  told.memory.descriptor = 9999;
  std::memcpy(address.data(), &told, sizeof told);
  const auto endpoint = first.connect(7, address);
  EXPECT_FALSE(endpoint->lost());
  EXPECT_EQ(endpoint->send({.tag = 5}, {}, {}), Post::done);
  drain(second, sink);
  ASSERT_EQ(sink.arrivals.size(), 1U);
  EXPECT_EQ(sink.arrivals[0].header.tag, 5);
}

TEST(ShmDevice, TooManyLocalRanksAreRefused) {
  constexpr std::size_t ranks = InboxHeader::max_rings + 1;
  const std::string text = refusal(ErrorClass::other, [] { Inbox inbox(ranks, 1); });
  EXPECT_NE(text.find(std::to_string(ranks)), std::string::npos) << text;
  EXPECT_NE(text.find(std::to_string(InboxHeader::max_rings)), std::string::npos) << text;
}

TEST(ShmDevice, TheRingsSizeIsTunable) {
  const Setting setting("shm_ring_size", "9000");  // rounded up to 16 KiB
  Inbox of_one(2, 1), of_two(2, 1);
  ShmDevice one(of_one, 0, 0, {0, 1});
  ShmDevice two(of_two, 0, 1, {0, 1});
  const auto small = one.connect(1, two.address());
  EXPECT_EQ(small->limits().max_body, ring_max_body((16 << 10) / line_bytes));
}

}  // namespace
}  // namespace bowline::shm
