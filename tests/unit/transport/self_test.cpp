// SPDX-License-Identifier: BSD-3-Clause
// transport/self: order, the bound of its queue, and a sink that sends to itself while it is called.
#include "transport/self.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "support/heard.hpp"

namespace bowline::transport {
namespace {

constexpr int my_rank = 5;

class SelfCollector final : public Sink {
 public:
  void arrived(int peer, Header header, std::span<const std::byte> prefix, std::span<const std::byte> body) override {
    if (std::exchange(refuses, false)) throw NotYet(ErrorClass::other, "not now");
    arrivals.push_back({peer, header, {prefix.begin(), prefix.end()}, {body.begin(), body.end()}});
    if (on_arrival) on_arrival();
  }
  void broken(int, const Failure& why) noexcept override { ADD_FAILURE() << why->what(); }
  std::vector<test::Arrival> arrivals;
  bool refuses = false;  ///< the next message, once
  std::function<void()> on_arrival;
};

std::vector<std::byte> bytes(std::size_t count, int first) {
  std::vector<std::byte> data(count);
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<std::byte>(first + static_cast<int>(i));
  return data;
}

Header tagged(int tag) {
  return {.context = 3, .source = 1, .tag = tag, .kind = 2};
}

/// A get of one's own memory ends before it returns, so that nobody is told.
class Nobody final : public Operation {
  void ended(const Error*) noexcept override { ADD_FAILURE() << "an access that was done at once told of its end"; }
};

class Self : public testing::Test {
 protected:
  SelfDevice device{my_rank};
  std::unique_ptr<Endpoint> endpoint = device.connect(my_rank, device.address());
  SelfCollector sink;
  Nobody nobody;
};

std::uintptr_t address_of(const std::byte* data) {
  return reinterpret_cast<std::uintptr_t>(data);
}

TEST_F(Self, DeliversHeaderPrefixAndBodyInOrder) {
  for (int i = 0; i < 10; ++i) {
    const auto prefix = bytes(static_cast<std::size_t>(i), 10);
    const auto body = bytes(static_cast<std::size_t>(3 * i), 100);
    ASSERT_EQ(endpoint->send(tagged(i), prefix, body), Post::done);
  }
  EXPECT_TRUE(sink.arrivals.empty()) << "a message arrived without a poll";
  EXPECT_EQ(device.poll(sink), 10U);
  EXPECT_EQ(device.poll(sink), 0U);
  ASSERT_EQ(sink.arrivals.size(), 10U);
  for (int i = 0; i < 10; ++i) {
    const test::Arrival& arrival = sink.arrivals[static_cast<std::size_t>(i)];
    EXPECT_EQ(arrival.peer, my_rank);
    EXPECT_EQ(arrival.header.tag, i);
    EXPECT_EQ(arrival.header.context, 3U);
    EXPECT_EQ(arrival.header.source, 1);
    EXPECT_EQ(arrival.header.kind, 2);
    EXPECT_EQ(arrival.prefix, bytes(static_cast<std::size_t>(i), 10));
    EXPECT_EQ(arrival.body, bytes(static_cast<std::size_t>(3 * i), 100));
  }
}

TEST_F(Self, TheBuffersMayBeReusedAtOnce) {
  auto body = bytes(100, 1);
  ASSERT_EQ(endpoint->send(tagged(0), {}, body), Post::done);
  std::ranges::fill(body, std::byte{0});
  device.poll(sink);
  EXPECT_EQ(sink.arrivals.at(0).body, bytes(100, 1));
}

TEST_F(Self, AFullQueueAsksForARetryAndLosesNothing) {
  int sent = 0;
  while (endpoint->send(tagged(sent), {}, {}) == Post::done) ++sent;
  EXPECT_EQ(static_cast<std::size_t>(sent), SelfDevice::capacity);
  EXPECT_EQ(endpoint->send(tagged(sent), {}, {}), Post::retry);
  EXPECT_EQ(device.poll(sink), SelfDevice::capacity);
  EXPECT_EQ(endpoint->send(tagged(sent), {}, {}), Post::done);
  device.poll(sink);
  ASSERT_EQ(sink.arrivals.size(), SelfDevice::capacity + 1);
  for (int i = 0; i <= sent; ++i) EXPECT_EQ(sink.arrivals[static_cast<std::size_t>(i)].header.tag, i);
}

TEST_F(Self, WhatASinkSendsIsDeliveredInTheSamePoll) {
  int next = 1;
  sink.on_arrival = [&] {
    if (next == 20) return;
    EXPECT_EQ(endpoint->send(tagged(next++), {}, {}), Post::done);
  };
  ASSERT_EQ(endpoint->send(tagged(0), {}, {}), Post::done);
  EXPECT_EQ(device.poll(sink), 20U);
  ASSERT_EQ(sink.arrivals.size(), 20U);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(sink.arrivals[static_cast<std::size_t>(i)].header.tag, i);
}

TEST_F(Self, APollEndsHoweverMuchASinkSends) {
  int next = 1;
  sink.on_arrival = [&] { EXPECT_EQ(endpoint->send(tagged(next++), {}, {}), Post::done); };
  ASSERT_EQ(endpoint->send(tagged(0), {}, {}), Post::done);
  EXPECT_GT(device.poll(sink), 1U);
  EXPECT_TRUE(device.ready());
}

TEST_F(Self, TheLongestBodyFits) {
  const auto body = bytes(endpoint->limits().max_body, 7);
  ASSERT_EQ(endpoint->send(tagged(0), {}, body), Post::done);
  device.poll(sink);
  EXPECT_EQ(sink.arrivals.at(0).body, body);
  EXPECT_GT(endpoint->limits().max_prefix, 0U);
}

TEST_F(Self, GetsItsOwnMemoryEvenWhereItOverlaps) {
  auto memory = bytes(100, 0);
  std::vector<std::byte> target(50);
  EXPECT_EQ(endpoint->limits().single_copy_from, 0U);
  EXPECT_EQ(endpoint->get({address_of(memory.data() + 10), {}}, target, nobody), Access::done);
  EXPECT_EQ(target, bytes(50, 10));
  const auto overlapping = std::span(memory).subspan(20, 60);
  EXPECT_EQ(endpoint->get({address_of(memory.data()), {}}, overlapping, nobody), Access::done);
  for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(memory[20 + i], static_cast<std::byte>(i));
}

TEST_F(Self, WhatIsNotOfferedIsRefused) {
  auto memory = bytes(10, 0);
  EXPECT_EQ(endpoint->limits().put_from, never);
  EXPECT_EQ(endpoint->limits().get_from, never);
  EXPECT_EQ(endpoint->put(bytes(10, 9), {address_of(memory.data()), {}}, nobody), Access::refused);
  EXPECT_EQ(memory, bytes(10, 0));
  EXPECT_TRUE(endpoint->register_memory(memory).empty()) << "one's own memory needs no key";
  EXPECT_FALSE(endpoint->lost());
}

TEST_F(Self, ReadyMeansThatAPollFindsSomething) {
  EXPECT_FALSE(device.ready());
  ASSERT_EQ(endpoint->send(tagged(0), {}, {}), Post::done);
  EXPECT_TRUE(device.ready());
  EXPECT_EQ(device.poll(sink), 1U);
  EXPECT_FALSE(device.ready());
}

TEST_F(Self, WhatCannotBeTakenNowIsDeliveredAgainInOrder) {
  for (int tag = 0; tag < 2; ++tag) ASSERT_EQ(endpoint->send(tagged(tag), {}, bytes(5, tag)), Post::done);
  sink.refuses = true;
  EXPECT_EQ(device.poll(sink), 0U);
  EXPECT_TRUE(device.ready());
  EXPECT_EQ(device.poll(sink), 2U);
  EXPECT_EQ(sink.arrivals.at(0).body, bytes(5, 0));
  EXPECT_EQ(sink.arrivals.at(1).body, bytes(5, 1));
}

TEST_F(Self, NobodyElseCanWakeASleeper) {
  EXPECT_EQ(device.sleeper(), nullptr);
  EXPECT_EQ(device.name(), "self");
}

}  // namespace
}  // namespace bowline::transport
