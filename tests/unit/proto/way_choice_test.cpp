// SPDX-License-Identifier: BSD-3-Clause
// proto/ways/way_choice: the choice finds the cheapest way, turns over when another one has become the cheapest, and
// back, ignores delays that have nothing to do with the way, and its tries cost no more than the budget.
#include "proto/ways/way_choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <deque>
#include <random>
#include <string>

#include "support/seed.hpp"

namespace bowline::proto {
namespace {

constexpr std::size_t bytes = 64 << 10;
constexpr double price_of_tries = 0.8e6;

constexpr WaySet everything() {
  WaySet all;
  for (const Way way : all_ways) all.add(way);
  return all;
}

/// A machine on which a message takes so many nanoseconds in each way.
struct Machine {
  std::array<double, way_count> time;
  double of(Way way) const { return time[index_of(way)]; }
  Way cheapest() const { return all_ways[static_cast<std::size_t>(std::ranges::min_element(time) - time.begin())]; }
};

class Choosing : public testing::Test {
 protected:
  /// One message; returns its way.
  Way message(const Machine& machine, double delay = 0, WaySet possible = everything()) {
    const WayChoice::Next next = choice.next(possible, bytes, nullptr, budget);
    const double took = machine.of(next.way);
    lost += took - machine.of(machine.cheapest());
    if (next.timed) choice.took(next.way, took + delay, bytes, budget);
    timed += next.timed ? 1 : 0;
    return next.way;
  }
  /// So many messages; returns the number of those that went the cheapest way.
  int messages(const Machine& machine, int count) {
    int right = 0;
    for (int i = 0; i < count; ++i) right += message(machine) == machine.cheapest() ? 1 : 0;
    return right;
  }
  /// Messages until ten in a row went the cheapest way.
  int settles(const Machine& machine) {
    int in_row = 0;
    for (int i = 1; i <= 1000; ++i) {
      in_row = message(machine) == machine.cheapest() ? in_row + 1 : 0;
      if (in_row == 10) return i - 10;
    }
    return 1000;
  }

  WayChoice choice;
  TryBudget budget{price_of_tries};
  double lost = 0;  ///< nanoseconds beyond the cheapest way
  int timed = 0;
};

constexpr Machine first_best{{10e3, 14e3, 30e3, 20e3}};
constexpr Machine second_best{{30e3, 14e3, 30e3, 20e3}};
constexpr Machine third_best{{20e3, 18e3, 9e3, 15e3}};
constexpr Machine last_best{{20e3, 18e3, 15e3, 9e3}};

TEST_F(Choosing, FindsTheCheapestWay) {
  for (const Machine& machine : {first_best, second_best, third_best, last_best}) {
    SCOPED_TRACE(index_of(machine.cheapest()));
    choice = WayChoice{};
    EXPECT_LE(settles(machine), 16);
    EXPECT_GE(messages(machine, 1000), 960);
    EXPECT_EQ(choice.in_use(), machine.cheapest());
  }
}

TEST_F(Choosing, TurnsOverWithin50MessagesAndBack) {
  for (const int before : {50, 100, 300}) {
    SCOPED_TRACE(before);
    choice = WayChoice{};
    budget = TryBudget{price_of_tries};
    messages(first_best, before);
    ASSERT_EQ(choice.in_use(), Way::short_pieces);
    EXPECT_LE(settles(second_best), 50);
    messages(second_best, 50);
    EXPECT_LE(settles(first_best), 50);
  }
}

TEST_F(Choosing, TurnsOverToAWayThatHasBecomeCheaper) {
  messages(first_best, 200);
  const Machine better_attach{{10e3, 14e3, 5e3, 20e3}};
  EXPECT_LE(settles(better_attach), 300) << "it is found by a look, not by a change of the way in use";
}

TEST_F(Choosing, IgnoresDelaysThatDoNotComeFromTheWay) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    choice = WayChoice{};
    budget = TryBudget{price_of_tries};
    int right = 0;
    for (int i = 0; i < 4000; ++i) {
      const bool away = random() % 4 == 0;  // the sender, for as long as many messages take
      right += message(first_best, away ? 1e3 * static_cast<double>(random() % 500) : 0) == Way::short_pieces ? 1 : 0;
    }
    EXPECT_GE(right, 3900);
  }
}

TEST_F(Choosing, TimesOneMessageOfSixteen) {
  messages(first_best, 100);
  timed = 0;
  messages(first_best, 1600);
  EXPECT_LE(timed, 110 + 2 * 8);
  EXPECT_GE(timed, 100);
}

TEST_F(Choosing, UsesPossibleWaysOnly) {
  WaySet two;
  two.add(Way::short_pieces);
  two.add(Way::attach);
  for (int i = 0; i < 500; ++i) EXPECT_TRUE(two.has(message(last_best, 0, two)));
  EXPECT_EQ(choice.in_use(), Way::attach);
  two.remove(Way::attach);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(message(last_best, 0, two), Way::short_pieces);
}

// Whatever the costs.
TEST_F(Choosing, TriesCostNoMoreThanTheBudget) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    budget = TryBudget{price_of_tries};
    double tries = 0;
    for (int kind = 0; kind < 20; ++kind) {
      choice = WayChoice{};
      const double scale = 1e3 * std::pow(2.0, kind % 7);
      Machine machine{};
      for (double& time : machine.time) time = scale * (1 + static_cast<double>(random() % 20) / 10);
      for (int i = 0; i < 3000; ++i) {
        const Way in_use = choice.in_use();
        const bool known = choice.known();
        const Way way = message(machine);
        if (known && way != in_use) tries += std::max(0.0, machine.of(way) - machine.of(in_use));
      }
    }
    EXPECT_LE(tries, 1e6);
    EXPECT_GT(tries, price_of_tries / 4);
  }
}

// A window of messages has its ways before the first of them has arrived.
TEST_F(Choosing, WorksOnResultsThatComeLate) {
  std::deque<WayChoice::Next> under_way;
  int right = 0;
  for (int i = 0; i < 64 * 40; ++i) {
    under_way.push_back(choice.next(everything(), bytes, nullptr, budget));
    right += under_way.back().way == Way::attach ? 1 : 0;
    if (under_way.size() < 64) continue;
    for (const WayChoice::Next& each : under_way) {
      if (each.timed) choice.took(each.way, third_best.of(each.way), bytes, budget);
    }
    under_way.clear();
  }
  EXPECT_EQ(choice.in_use(), Way::attach);
  EXPECT_GE(right, 64 * 30);
}

TEST_F(Choosing, GoesOnWhenCostsNeverBecomeKnown) {
  for (int i = 0; i < 20'000; ++i) {
    const WayChoice::Next next = choice.next(everything(), bytes, nullptr, budget);
    if (i < 12 && next.timed) choice.took(next.way, first_best.of(next.way), bytes, budget);
    if (i >= 12 && next.timed && i % 2 == 0) choice.took_unknown(next.way, 0, 0, budget);
  }
  EXPECT_EQ(choice.in_use(), Way::short_pieces);
  EXPECT_GE(messages(first_best, 1000), 900);
}

// The next size class begins with the way that was the best for this one, and does not try what was much dearer.
TEST_F(Choosing, ExpectsOfAClassWhatItsNeighbourHasFound) {
  const Machine machine{{20e3, 60e3, 9e3, 70e3}};
  messages(machine, 100);
  const WayChoice neighbour = choice;
  choice = WayChoice{};
  for (int i = 0; i < 12; ++i) {
    const WayChoice::Next next = choice.next(everything(), bytes, &neighbour, budget);
    EXPECT_TRUE(next.way == Way::attach || next.way == Way::short_pieces) << i;
    if (next.timed) choice.took(next.way, machine.of(next.way), bytes, budget);
    if (i == 0) {
      EXPECT_EQ(next.way, Way::attach);
    }
  }
}

TEST_F(Choosing, WithoutABudgetNothingIsTried) {
  budget = TryBudget{0};
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(message(last_best), Way::short_pieces);
}

}  // namespace
}  // namespace bowline::proto
