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
Counter second(Category::start, "test_b", "the second one");
Counter third(Category::start, "test_c", "the third one");
Counter first(Category::start, "test_a", "the first one");

TEST(Counter, StartsAtZeroAndAdds) {
  EXPECT_EQ(first.value(), 0U);
  first.add();
  first.add(41);
  EXPECT_EQ(first.value(), 42U);
  EXPECT_EQ(second.value(), 0U);
}

Counter shared(Category::start, "test_shared", "counted by several threads");

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
  const auto all = Measure::all();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Measure::name));
  for (const Counter* counter : {&first, &second, &third}) EXPECT_EQ(std::ranges::count(all, counter), 1);
}

Level things(Category::start, "test_things", "test_things_peak", "things that exist");

TEST(Level, IsTheSumOfItsPartsAndRemembersTheMost) {
  const Measure& peak = **std::ranges::find(Measure::all(), "test_things_peak", &Measure::name);
  EXPECT_EQ(things.kind(), Measure::Kind::level);
  EXPECT_EQ(peak.kind(), Measure::Kind::peak);
  {
    Level::Part first_part(things), second_part(things);
    first_part.grow(5);
    second_part.grow(2);
    first_part.shrink(4);
    EXPECT_EQ(things.value(), 3U);
    EXPECT_EQ(peak.value(), 7U);
  }
  EXPECT_EQ(things.value(), 0U);
  EXPECT_EQ(peak.value(), 7U);
  Level::Part third_part(things);
  third_part.grow(6);
  EXPECT_EQ(peak.value(), 7U);
  third_part.grow(6);
  EXPECT_EQ(peak.value(), 12U);
}

}  // namespace
}  // namespace bowline
