// SPDX-License-Identifier: BSD-3-Clause
// base/counter: counting, and the registry of all counters in the order of their names.
#include "base/counter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

namespace bowline {
namespace {

// Declared out of order on purpose.
Counter second{"test_b", "the second one"};
Counter third{"test_c", "the third one"};
Counter first{"test_a", "the first one"};

TEST(Counter, StartsAtZeroAndAdds) {
  EXPECT_EQ(first.value(), 0U);
  first.add();
  first.add(41);
  EXPECT_EQ(first.value(), 42U);
  EXPECT_EQ(second.value(), 0U);
}

Counter shared{"test_shared", "counted by several threads"};

TEST(ThreadsCounter, NothingIsLostBetweenThreads) {
  constexpr unsigned threads = 4, each = 500'000;
  std::vector<std::thread> running;
  for (unsigned i = 0; i < threads; ++i) {
    running.emplace_back([] {
      for (unsigned n = 0; n < each; ++n) {
        shared.add();
        asm volatile("" ::: "memory");  // not all at once
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  EXPECT_EQ(shared.value(), threads * each);
}

TEST(Counter, KnowsNameAndHelp) {
  EXPECT_EQ(second.name(), "test_b");
  EXPECT_EQ(second.help(), "the second one");
}

TEST(Counter, AllAreFoundSortedByName) {
  const auto all = Counter::all();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Counter::name));
  for (const Counter* counter : {&first, &second, &third}) EXPECT_EQ(std::ranges::count(all, counter), 1);
}

}  // namespace
}  // namespace bowline
