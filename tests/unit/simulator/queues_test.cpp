// SPDX-License-Identifier: BSD-3-Clause
// simulator/event_queue and pair_table against the containers of the standard library.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>

#include "simulator/event_queue.hpp"
#include "simulator/pair_table.hpp"
#include "support/seed.hpp"

namespace bowline::sim {
namespace {

TEST(EventQueue, ComesOutInTheOrderOfTimeAndThenOfArrival) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    EventQueue<int> queue;
    std::multimap<std::uint64_t, int> expected;  // keeps the order of equal keys
    std::uint64_t now = 0;
    int number = 0;
    for (int step = 0; step < 20'000; ++step) {
      const bool put = expected.empty() || (step < 15'000 && random() % 5 < 3);
      if (put) {
        const std::uint64_t time = now + (random() % 3 == 0 ? 0 : random() >> (random() % 40 + 24));
        queue.push(time, number);
        expected.emplace(time, number++);
      } else {
        const auto [time, event] = queue.pop();
        ASSERT_EQ(time, expected.begin()->first);
        ASSERT_EQ(event, expected.begin()->second);
        expected.erase(expected.begin());
        now = time;
      }
      ASSERT_EQ(queue.size(), expected.size());
      ASSERT_EQ(queue.empty(), expected.empty());
    }
  }
}

struct Node {
  Node* next = nullptr;
  Node* last = nullptr;
};

TEST(PairTable, KeepsAQueueForEachKey) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::deque<Node> nodes;
    PairTable<Node> table;
    std::map<std::uint64_t, std::deque<Node*>> expected;
    std::size_t waiting = 0;
    for (int step = 0; step < 50'000; ++step) {
      const std::uint64_t key = static_cast<std::uint64_t>(random() % 60) << 32 | random() % 60;
      std::deque<Node*>& queue = expected[key];
      ASSERT_EQ(table.front(key), queue.empty() ? nullptr : queue.front());
      if (queue.empty() || random() % 3 != 0) {
        table.push(key, nodes.emplace_back());
        queue.push_back(&nodes.back());
        ++waiting;
      } else {
        table.pop(key);
        queue.pop_front();
        --waiting;
      }
      ASSERT_EQ(table.empty(), waiting == 0);
    }
  }
}

}  // namespace
}  // namespace bowline::sim
