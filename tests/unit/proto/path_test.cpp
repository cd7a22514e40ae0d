// SPDX-License-Identifier: BSD-3-Clause
// proto/paths/path: by the rules of the paths, a tuner finds the cheapest path, turns over when another one has become
// the cheapest, and back, ignores delays that have nothing to do with the path, and its tries cost no more than the
// budget.
#include "proto/paths/path.hpp"

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

PathSet everything() {
  return PathSet().set();
}

/// A machine on which a message takes so many nanoseconds by each path.
struct Machine {
  std::array<double, path_count> time;
  double of(Path path) const { return time[index_of(path)]; }
  Path cheapest() const { return all_paths[static_cast<std::size_t>(std::ranges::min_element(time) - time.begin())]; }
};

const Tuner untried(path_rules(false), path_count);

class Choosing : public testing::Test {
 protected:
  /// One message; returns its path.
  Path message(const Machine& machine, double delay = 0, PathSet possible = everything()) {
    const Tuner::Next next = choice.next(operation(choice, possible, bytes, nullptr, budget));
    const Path path = all_paths[next.candidate];
    const double took = machine.of(path);
    lost += took - machine.of(machine.cheapest());
    if (next.timed) tell(path, took + delay);
    timed += next.timed ? 1 : 0;
    return path;
  }
  void tell(Path path, double nanoseconds) {
    choice.took(index_of(path), static_cast<float>(nanoseconds / bytes), bytes, &budget);
  }
  Path in_use() const { return all_paths[choice.in_use()]; }
  /// So many messages; returns the number of those that took the cheapest path.
  int messages(const Machine& machine, int count) {
    int right = 0;
    for (int i = 0; i < count; ++i) right += message(machine) == machine.cheapest() ? 1 : 0;
    return right;
  }
  /// Messages until ten in a row took the cheapest path.
  int settles(const Machine& machine) {
    int in_row = 0;
    for (int i = 1; i <= 1000; ++i) {
      in_row = message(machine) == machine.cheapest() ? in_row + 1 : 0;
      if (in_row == 10) return i - 10;
    }
    return 1000;
  }

  Tuner choice = untried;
  ExplorationBudget budget{price_of_tries};
  double lost = 0;  ///< nanoseconds beyond the cheapest path
  int timed = 0;
};

constexpr Machine first_best{{10e3, 14e3, 30e3, 20e3}};
constexpr Machine second_best{{30e3, 14e3, 30e3, 20e3}};
constexpr Machine third_best{{20e3, 18e3, 9e3, 15e3}};
constexpr Machine last_best{{20e3, 18e3, 15e3, 9e3}};

TEST_F(Choosing, FindsTheCheapestPath) {
  for (const Machine& machine : {first_best, second_best, third_best, last_best}) {
    SCOPED_TRACE(index_of(machine.cheapest()));
    choice = untried;
    EXPECT_LE(settles(machine), 16);
    EXPECT_GE(messages(machine, 1000), 960);
    EXPECT_EQ(in_use(), machine.cheapest());
  }
}

TEST_F(Choosing, TurnsOverWithin50MessagesAndBack) {
  for (const int before : {50, 100, 300}) {
    SCOPED_TRACE(before);
    choice = untried;
    budget = ExplorationBudget{price_of_tries};
    messages(first_best, before);
    ASSERT_EQ(in_use(), Path::short_pieces);
    EXPECT_LE(settles(second_best), 50);
    messages(second_best, 50);
    EXPECT_LE(settles(first_best), 50);
  }
}

TEST_F(Choosing, TurnsOverToAPathThatHasBecomeCheaper) {
  messages(first_best, 200);
  const Machine better_single_copy{{10e3, 14e3, 5e3, 20e3}};
  EXPECT_LE(settles(better_single_copy), 300) << "it is found by a look, not by a change of the path in use";
}

TEST_F(Choosing, IgnoresDelaysThatDoNotComeFromThePath) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    choice = untried;
    budget = ExplorationBudget{price_of_tries};
    int right = 0;
    for (int i = 0; i < 4000; ++i) {
      const bool away = random() % 4 == 0;  // the sender, for as long as many messages take
      right += message(first_best, away ? 1e3 * static_cast<double>(random() % 500) : 0) == Path::short_pieces ? 1 : 0;
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

TEST(TriedBytes, AreAPartOfAVeryLongMessageUnlessASingleCopyIsKnown) {
  constexpr std::size_t kib = 1 << 10, long_one = 4096 * kib;
  for (const bool known : {false, true}) {
    EXPECT_EQ(tried_bytes(Path::short_pieces, long_one, known), 64 * kib);
    EXPECT_EQ(tried_bytes(Path::long_pieces, long_one, known), 256 * kib);
    EXPECT_EQ(tried_bytes(Path::single_copy, long_one, known), known ? long_one : 128 * kib);
    EXPECT_EQ(tried_bytes(Path::single_copy_by_both, long_one, known), known ? long_one : 128 * kib);
    EXPECT_EQ(tried_bytes(Path::single_copy, 255 * kib, known), 255 * kib);
  }
}

TEST_F(Choosing, UsesPossiblePathsOnly) {
  PathSet two;
  two.set(index_of(Path::short_pieces));
  two.set(index_of(Path::single_copy));
  for (int i = 0; i < 500; ++i) EXPECT_TRUE(two[index_of(message(last_best, 0, two))]);
  EXPECT_EQ(in_use(), Path::single_copy);
  two.reset(index_of(Path::single_copy));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(message(last_best, 0, two), Path::short_pieces);
}

// Whatever the costs.
TEST_F(Choosing, TriesCostNoMoreThanTheBudget) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    budget = ExplorationBudget{price_of_tries};
    double tries = 0, all = 0;
    for (int kind = 0; kind < 20; ++kind) {
      choice = untried;
      const double scale = 1e3 * std::pow(2.0, kind % 7);
      Machine machine{};
      for (double& time : machine.time) time = scale * (1 + static_cast<double>(random() % 20) / 10);
      for (int i = 0; i < 3000; ++i) {
        const Path before = in_use();
        const bool known = choice.known();
        const Path path = message(machine);
        all += machine.of(path);
        if (known && path != before) tries += std::max(0.0, machine.of(path) - machine.of(before));
      }
    }
    EXPECT_LE(tries, 1e6 + all / 100) << "a hundredth of the time comes back";
    EXPECT_GT(tries, price_of_tries / 4);
  }
}

// A window of messages has its paths before the first of them has arrived.
TEST_F(Choosing, WorksOnResultsThatComeLate) {
  std::deque<Tuner::Next> under_way;
  int right = 0;
  for (int i = 0; i < 64 * 40; ++i) {
    under_way.push_back(choice.next(operation(choice, everything(), bytes, nullptr, budget)));
    right += under_way.back().candidate == index_of(Path::single_copy) ? 1 : 0;
    if (under_way.size() < 64) continue;
    for (const Tuner::Next& each : under_way) {
      if (each.timed) tell(all_paths[each.candidate], third_best.of(all_paths[each.candidate]));
    }
    under_way.clear();
  }
  EXPECT_EQ(in_use(), Path::single_copy);
  EXPECT_GE(right, 64 * 30);
}

TEST_F(Choosing, GoesOnWhenCostsNeverBecomeKnown) {
  for (int i = 0; i < 20'000; ++i) {
    const Tuner::Next next = choice.next(operation(choice, everything(), bytes, nullptr, budget));
    if (i < 12 && next.timed) tell(all_paths[next.candidate], first_best.of(all_paths[next.candidate]));
    if (i >= 12 && next.timed && i % 2 == 0) choice.lost(next.candidate);
  }
  EXPECT_EQ(in_use(), Path::short_pieces);
  EXPECT_GE(messages(first_best, 1000), 900);
}

// The next size class begins with the path that was the best for this one, and does not try what was much dearer.
TEST_F(Choosing, ExpectsOfAClassWhatItsNeighbourHasFound) {
  const Machine machine{{20e3, 60e3, 9e3, 70e3}};
  messages(machine, 100);
  const Tuner neighbour = choice;
  choice = untried;
  for (int i = 0; i < 12; ++i) {
    const Tuner::Next next = choice.next(operation(choice, everything(), bytes, &neighbour, budget));
    EXPECT_TRUE(all_paths[next.candidate] == Path::single_copy || all_paths[next.candidate] == Path::short_pieces) << i;
    if (next.timed) tell(all_paths[next.candidate], machine.of(all_paths[next.candidate]));
    if (i == 0) {
      EXPECT_EQ(all_paths[next.candidate], Path::single_copy);
    }
  }
}

TEST_F(Choosing, WithoutABudgetNothingIsTried) {
  budget = ExplorationBudget{0};
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(message(last_best), Path::short_pieces);
}

}  // namespace
}  // namespace bowline::proto
