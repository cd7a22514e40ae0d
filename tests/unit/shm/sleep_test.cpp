// SPDX-License-Identifier: BSD-3-Clause
// shm/inbox and shm/device: nobody sleeps over a message, and sleepers are woken.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include "shm_node.hpp"
#include "support/seed.hpp"

namespace bowline::shm {
namespace {

using std::chrono::milliseconds;
using transport::Header;
using transport::Post;
using Clock = std::chrono::steady_clock;
using ThreadsShmNode = ShmNode;

TEST_F(ShmNode, SleepEndsByItself) {
  const auto start = Clock::now();
  sleep_unless_ready(second, 20);
  EXPECT_LT(Clock::now() - start, milliseconds(10'000));
}

TEST_F(ShmNode, NoOneSleepsOverAMessageOrANewPeer) {
  const auto start = Clock::now();
  const auto endpoint = first.connect(7, second.address());
  sleep_unless_ready(second, 60'000);  // a new producer is news already
  ASSERT_EQ(second.poll(sink), 0U);
  ASSERT_EQ(endpoint->send({}, {}, {}), Post::done);
  sleep_unless_ready(second, 60'000);
  EXPECT_EQ(second.poll(sink), 1U);
  EXPECT_LT(Clock::now() - start, milliseconds(30'000));
}

TEST_F(ThreadsShmNode, SleepersWakeEachOther) {
  // A lost wake-up costs a whole sleep; many of them make both sides give up.
  constexpr int rounds = 20'000;
  const auto start = Clock::now();
  const auto in_time = [start] { return Clock::now() - start < milliseconds(20'000); };
  const auto there = first.connect(7, second.address());
  const auto back = second.connect(3, first.address());
  const auto await = [&](ShmDevice& device, Collector& collector) {
    while (device.poll(collector) == 0) {
      if (!in_time()) return false;
      sleep_unless_ready(device, 10'000);
    }
    return true;
  };
  std::thread other([&] {
    Collector mine;
    for (int i = 0; i < rounds && await(second, mine); ++i) {
      EXPECT_EQ(mine.arrivals.back().header.tag, i);
      EXPECT_EQ(back->send({.tag = i}, {}, {}), Post::done);
    }
  });
  for (int i = 0; i < rounds; ++i) {
    EXPECT_EQ(there->send({.tag = i}, {}, {}), Post::done);
    if (!await(first, sink)) break;
    EXPECT_EQ(sink.arrivals.back().header.tag, i);
  }
  other.join();
  EXPECT_TRUE(in_time()) << "wake-ups were lost";
  EXPECT_EQ(sink.arrivals.size(), static_cast<std::size_t>(rounds));
}

TEST_F(ThreadsShmNode, TwoProducersFloodASleepyConsumer) {
  constexpr int messages = 50'000;
  const auto flood = [](transport::Endpoint& endpoint, std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto body = pattern(2000, seed);
    for (int i = 0; i < messages; ++i) {
      const std::span<const std::byte> part(body.data(), random() % 16 == 0 ? random() % 2000 : random() % 64);
      while (endpoint.send({.tag = i}, {}, part) == Post::retry) std::this_thread::yield();
    }
  };
  const std::uint32_t seed = test::seeds().front();
  SCOPED_TRACE(seed);
  std::unique_ptr<transport::Endpoint> from_first = first.connect(7, second.address());
  std::unique_ptr<transport::Endpoint> from_third = third.connect(7, second.address());
  std::thread one([&] { flood(*from_first, seed); });
  std::thread two([&] { flood(*from_third, seed + 1); });
  struct Checker final : transport::Sink {
    void arrived(int peer, Header header, std::span<const std::byte>, std::span<const std::byte> body) override {
      int& next = peer == 3 ? next_first : next_third;
      wrong += header.tag == next++ ? 0 : 1;
      const std::byte origin{static_cast<unsigned char>(peer == 3 ? seed : seed + 1)};
      if (!body.empty()) wrong += body[0] == origin ? 0 : 1;
    }
    void broken(int, const Failure&) noexcept override { ++wrong; }
    std::uint32_t seed = 0;
    int next_first = 0;
    int next_third = 0;
    int wrong = 0;
  } checker;
  checker.seed = seed;
  while (checker.next_first < messages || checker.next_third < messages) {
    if (second.poll(checker) == 0) sleep_unless_ready(second, 1'000);
  }
  one.join();
  two.join();
  EXPECT_EQ(checker.wrong, 0);
}

// ---- several threads of one process

/// Waits until `count` threads are where they increment it.
void await(const std::atomic<int>& arrived, int count) {
  while (arrived < count) std::this_thread::yield();
}

TEST_F(ThreadsShmNode, WakeWakesAllWhoSleep) {
  constexpr int threads = 4;
  const auto start = Clock::now();
  transport::Sleeper& sleeper = of_second;
  std::atomic<bool> over{false};
  std::atomic<int> announced{0};
  std::vector<std::thread> sleeping;
  for (int i = 0; i < threads; ++i) {
    sleeping.emplace_back([&] {
      sleeper.announce();
      ++announced;
      if (over) return sleeper.withdraw();
      sleeper.sleep(60'000);
    });
  }
  await(announced, threads);
  over = true;
  sleeper.wake();
  for (std::thread& thread : sleeping) thread.join();
  EXPECT_LT(Clock::now() - start, milliseconds(30'000)) << "a thread slept until its time was over";
}

TEST_F(ThreadsShmNode, AWakeUpBetweenAnnouncementAndSleepIsNotLost) {
  const auto start = Clock::now();
  transport::Sleeper& sleeper = of_second;
  sleeper.announce();
  std::thread([&] { sleeper.wake(); }).join();
  sleeper.sleep(60'000);
  EXPECT_LT(Clock::now() - start, milliseconds(30'000));
}

TEST_F(ThreadsShmNode, AMessageWakesAllWhoSleep) {
  constexpr int threads = 3;
  const auto start = Clock::now();
  const auto endpoint = first.connect(7, second.address());
  second.poll(sink);
  transport::Sleeper& sleeper = of_second;
  std::atomic<int> announced{0};
  std::vector<std::thread> sleeping;
  for (int i = 0; i < threads; ++i) {
    sleeping.emplace_back([&] {
      sleeper.announce();
      ++announced;
      if (second.ready()) return sleeper.withdraw();
      sleeper.sleep(60'000);
    });
  }
  await(announced, threads);
  ASSERT_EQ(endpoint->send({}, {}, {}), Post::done);
  for (std::thread& thread : sleeping) thread.join();
  EXPECT_LT(Clock::now() - start, milliseconds(30'000));
}

TEST_F(ThreadsShmNode, WhoWithdrawsWakesTheOthersSoThatTheyAnnounceAgain) {
  // There is one word for all threads. Who gets up clears it for everyone; then wake() must make the others come back,
  // or a message that arrives afterwards would find nobody announced.
  const auto start = Clock::now();
  const auto endpoint = first.connect(7, second.address());
  second.poll(sink);
  transport::Sleeper& sleeper = of_second;
  std::atomic<int> announced{0};
  std::thread patient([&] {
    while (true) {
      sleeper.announce();
      ++announced;
      if (second.ready()) return sleeper.withdraw();
      sleeper.sleep(60'000);
    }
  });
  await(announced, 1);
  sleeper.announce();
  sleeper.withdraw();
  sleeper.wake();
  await(announced, 2);
  ASSERT_EQ(endpoint->send({}, {}, {}), Post::done);
  patient.join();
  EXPECT_LT(Clock::now() - start, milliseconds(30'000));
}

}  // namespace
}  // namespace bowline::shm
