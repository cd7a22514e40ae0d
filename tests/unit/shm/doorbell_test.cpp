// SPDX-License-Identifier: BSD-3-Clause
// shm/doorbell: no wake-up is lost between a producer and an owner that goes to sleep, and nobody sleeps too long.
#include "shm/doorbell.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace bowline::shm {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

struct Doorbell : testing::Test {
  Doorbell() { doorbell_register(); }
  std::atomic<std::uint32_t> asleep{0};
};
using ThreadsDoorbell = Doorbell;

TEST_F(Doorbell, AnAwakeOwnerNeedsNoWakeUp) {
  EXPECT_FALSE(owner_asleep(asleep));
  announce_sleep(asleep);
  EXPECT_TRUE(owner_asleep(asleep));
  stay_awake(asleep);
  EXPECT_FALSE(owner_asleep(asleep));
}

TEST_F(Doorbell, SleepEndsByItself) {
  const auto start = Clock::now();
  announce_sleep(asleep);
  sleep_on(asleep, 20);
  EXPECT_FALSE(owner_asleep(asleep));
  EXPECT_LT(Clock::now() - start, milliseconds(5000));
}

TEST_F(Doorbell, AWakeUpBeforeTheSleepIsNotLost) {
  const auto start = Clock::now();
  announce_sleep(asleep);
  wake_owner(asleep);
  EXPECT_FALSE(owner_asleep(asleep));
  sleep_on(asleep, 60'000);  // does not sleep at all: the word has changed
  EXPECT_LT(Clock::now() - start, milliseconds(30'000));
}

TEST_F(ThreadsDoorbell, ASleeperIsWoken) {
  const auto start = Clock::now();
  std::atomic<bool> published{false};
  std::thread owner([&] {
    while (!published.load(std::memory_order_acquire)) {
      announce_sleep(asleep);
      if (published.load(std::memory_order_acquire)) {
        stay_awake(asleep);
      } else {
        sleep_on(asleep, 60'000);
      }
    }
  });
  while (!owner_asleep(asleep)) std::this_thread::yield();
  published.store(true, std::memory_order_release);
  if (owner_asleep(asleep)) wake_owner(asleep);
  owner.join();
  EXPECT_LT(Clock::now() - start, milliseconds(30'000)) << "the owner slept until its time was over";
}

TEST_F(ThreadsDoorbell, NoWakeUpIsLost) {
  // Two sides answer each other's numbers, each going to sleep as soon as there is nothing. A wake-up that gets lost
  // costs a whole sleep, of which the bound below allows only a few.
  constexpr std::uint32_t rounds = 100'000;
  constexpr int sleep_ms = 5'000;
  struct Side {
    std::atomic<std::uint32_t> inbox{0};
    std::atomic<std::uint32_t> asleep{0};
  };
  Side sides[2];
  std::atomic<std::uint32_t> long_sleeps{0};
  const auto publish = [](Side& to, std::uint32_t number) {
    to.inbox.store(number, std::memory_order_release);
    if (owner_asleep(to.asleep)) wake_owner(to.asleep);
  };
  const auto await = [&](Side& mine, std::uint32_t number) {
    while (mine.inbox.load(std::memory_order_acquire) != number) {
      announce_sleep(mine.asleep);
      if (mine.inbox.load(std::memory_order_acquire) == number) {
        stay_awake(mine.asleep);
        break;
      }
      const auto start = Clock::now();
      sleep_on(mine.asleep, sleep_ms);
      if (Clock::now() - start >= milliseconds(sleep_ms)) ++long_sleeps;
      if (long_sleeps > 3) break;  // fails below; the rest would only take long
    }
  };
  std::thread other([&] {
    for (std::uint32_t i = 1; i <= rounds && long_sleeps <= 3; ++i) {
      await(sides[1], i);
      publish(sides[0], i);
    }
  });
  for (std::uint32_t i = 1; i <= rounds && long_sleeps <= 3; ++i) {
    publish(sides[1], i);
    await(sides[0], i);
  }
  other.join();
  EXPECT_EQ(long_sleeps, 0U);
}

}  // namespace
}  // namespace bowline::shm
