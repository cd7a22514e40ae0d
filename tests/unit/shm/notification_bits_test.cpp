// SPDX-License-Identifier: BSD-3-Clause
// shm/notification_bits: the owner learns the number of each producer that has notified it, once, and loses none
// between threads.
#include "shm/notification_bits.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <thread>
#include <vector>

namespace bowline::shm {
namespace {

std::vector<std::size_t> taken(NotificationBits& notifications, std::size_t producers) {
  std::vector<std::size_t> all;
  notifications.take(producers, [&](std::size_t producer) { all.push_back(producer); });
  return all;
}

TEST(NotificationBits, AreNamedOnce) {
  const auto notifications = std::make_unique<NotificationBits>();
  EXPECT_FALSE(notifications->any(NotificationBits::max_producers));
  for (const std::size_t producer : {0, 63, 64, 4095, 4096, 25'599, 64}) notifications->notify(producer);
  EXPECT_TRUE(notifications->any(64));
  EXPECT_EQ(taken(*notifications, NotificationBits::max_producers),
            (std::vector<std::size_t>{0, 63, 64, 4095, 4096, 25'599}));
  EXPECT_FALSE(notifications->any(NotificationBits::max_producers));
  EXPECT_TRUE(taken(*notifications, NotificationBits::max_producers).empty());
  notifications->notify(64);
  EXPECT_EQ(taken(*notifications, 100), std::vector<std::size_t>{64});
}

TEST(NotificationBits, OfProducersThatThereAreNotAreDropped) {
  const auto notifications = std::make_unique<NotificationBits>();
  notifications->notify(70);
  EXPECT_TRUE(taken(*notifications, 70).empty());
  EXPECT_FALSE(notifications->any(70));
}

// Each producer publishes a number and notifies the owner, and waits until the owner has seen that number: a lost
// notification, or one that comes before what it tells of, would let both wait for ever.
TEST(ThreadsNotificationBits, NoneIsLostAndEachComesAfterWhatItTellsOf) {
  constexpr int rounds = 20'000;
  constexpr std::size_t places[] = {3, 5, 70};  // two share a word, all the summary
  const auto notifications = std::make_unique<NotificationBits>();
  std::atomic<int> published[3]{}, seen[3]{};
  std::vector<std::thread> producers;
  for (std::size_t i = 0; i < 3; ++i) {
    producers.emplace_back([&, i] {
      for (int round = 1; round <= rounds; ++round) {
        published[i].store(round, std::memory_order_release);
        notifications->notify(places[i]);
        if (round % 2 == 0) continue;  // every other time the next one comes at once
        while (seen[i].load(std::memory_order_acquire) < round) std::this_thread::yield();
      }
    });
  }
  const auto all_seen = [&] {
    for (const auto& each : seen) {
      if (each.load(std::memory_order_relaxed) < rounds) return false;
    }
    return true;
  };
  while (!all_seen()) {
    if (!notifications->any(100)) std::this_thread::yield();
    notifications->take(100, [&](std::size_t place) {
      const std::size_t i = place == 3 ? 0 : place == 5 ? 1 : 2;
      seen[i].store(published[i].load(std::memory_order_acquire), std::memory_order_release);
    });
  }
  for (std::thread& producer : producers) producer.join();
}

}  // namespace
}  // namespace bowline::shm
