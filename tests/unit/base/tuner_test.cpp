// SPDX-License-Identifier: BSD-3-Clause
// base/tuner: which costs count, what a candidate must save to be taken into use, when others are explored, and what
// explorations may cost. The three users have tests of their choices (proto/path, coll/trial, mpiio/cost_model).
#include "base/tuner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace bowline {
namespace {

using Statistic = CostSample::Statistic;

TEST(CostSample, OneDelayCountsNeitherInTheLeastNorInTheMedian) {
  CostSample sample;
  for (const float cost : {3.0F, 100.0F, 2.0F}) sample.add(cost);
  EXPECT_EQ(sample.result(Statistic::least), 2);
  EXPECT_EQ(sample.result(Statistic::median), 3);
  sample.clear();
  EXPECT_EQ(sample.count(), 0U);
  for (const float cost : {1.0F, 5.0F, 6.0F, 7.0F, 8.0F, 9.0F}) sample.add(cost);
  EXPECT_EQ(sample.result(Statistic::least), 5) << "the last five count";
}

TEST(ExplorationBudget, GetsAHundredthOfTheTimeOfOperationsBack) {
  ExplorationBudget budget(800);
  budget.spend(750);
  budget.earn(10'000);
  EXPECT_DOUBLE_EQ(budget.left(), 150);
  budget.earn(1e9);
  EXPECT_DOUBLE_EQ(budget.left(), 800) << "never more than at first";
}

TEST(ExplorationBudget, KeepsHalfForFirstExplorations) {
  ExplorationBudget budget(800);
  EXPECT_TRUE(budget.allows_first(400));
  EXPECT_FALSE(budget.allows_first(401));
  EXPECT_TRUE(budget.allows_later(100));
  EXPECT_FALSE(budget.allows_later(101));
  budget.spend(401);
  EXPECT_FALSE(budget.allows_later(0));
  EXPECT_TRUE(budget.allows_first(199));
  budget.spend(400);
  EXPECT_FALSE(budget.allows_first(0));
}

constexpr Tuner::Rules plain{.longest_interval = 64, .timed_every = 1};

/// Operations that each take as long as their candidate takes.
struct Program {
  Tuner::Costs costs;
  Tuner tuner{plain, 2};
  Tuner::Operation operation{};
  ExplorationBudget* budget = nullptr;

  Tuner::Next run(int count = 1) {
    Tuner::Next next{};
    for (int i = 0; i < count; ++i) {
      next = tuner.next(operation);
      if (next.timed) tuner.took(next.candidate, costs[next.candidate], 1, budget);
    }
    return next;
  }
  /// Operations until the next that explores, and the candidate.
  std::size_t until_explored() {
    for (int i = 0; i < 1000; ++i) {
      const Tuner::Next next = run();
      if (next.explores) return next.candidate;
    }
    return Tuner::most_candidates;
  }
  /// The numbers of operations between explorations; an interval includes the two operations of the exploration.
  std::vector<int> intervals(std::size_t explorations) {
    std::vector<int> found;
    for (int between = 0; found.size() < explorations;) {
      if (!run().explores) {
        ++between;
      } else if (between > 0) {
        found.push_back(std::exchange(between, 0));
      }
    }
    return found;
  }
};

TEST(Tuner, ACandidateMustBeClearlyCheaper) {
  for (const auto& [cost, chosen] : {std::pair(0.97F, 0U), std::pair(0.94F, 1U)}) {
    Program program{.costs = {1, cost}};
    program.run(10);
    EXPECT_EQ(program.tuner.in_use(), chosen);
    EXPECT_FLOAT_EQ(program.tuner.cost(1), cost);
  }
}

TEST(Tuner, ExploresEverMoreRarelyAndOftenAfterAChange) {
  Program program{.costs = {1, 2}};
  program.run(5);  // the first costs
  EXPECT_EQ(program.intervals(5), (std::vector<int>{14, 30, 62, 62, 62}));
  program.costs = {1, 0.5F};
  while (program.tuner.in_use() == 0) program.run();
  EXPECT_EQ(program.intervals(6), (std::vector<int>{14, 14, 14, 14, 14, 30}));
}

// A rise of the cost in use makes the other candidate, whose cost may be out of date, worth an exploration at once.
TEST(Tuner, ExploresWhatWasCheaperBeforeItIsTakenIntoUse) {
  Program program{.costs = {1, 2}};
  program.run(100);
  program.costs = {8, 9};
  program.run(12);
  EXPECT_EQ(program.tuner.in_use(), 0U) << "the other one has become dearer too";
  EXPECT_GT(program.tuner.cost(1), 5);
  program.costs = {20, 2};
  program.run(12);
  EXPECT_EQ(program.tuner.in_use(), 1U);
}

TEST(Tuner, ExpectsCostsFromSimilarOperationsOrTheGuesses) {
  Program program{.costs = {1, 9}};
  program.run(20);
  const Tuner similar = program.tuner;
  Program same{.costs = {2, 2}, .operation = {.similar = &similar}};
  EXPECT_EQ(same.run(10).candidate, 0U);
  EXPECT_FALSE(same.tuner.knows(1)) << "nine times as dear";
  Program other{.costs = {9, 1}};
  other.run(20);
  ASSERT_EQ(other.tuner.in_use(), 1U);
  const Tuner opposite = other.tuner;
  same.operation.similar = &opposite;
  EXPECT_EQ(same.run().candidate, 0U) << "its own costs are known";
  Program new_one{.costs = {2, 2}, .operation = {.similar = &opposite}};
  EXPECT_EQ(new_one.run().candidate, 1U);
  constexpr Tuner::Rules pessimistic{.guesses = {1, 4}};
  Program guessing{.costs = {2, 2}, .tuner = Tuner(pessimistic, 2)};
  guessing.run(10);
  EXPECT_FALSE(guessing.tuner.knows(1));
  EXPECT_EQ(guessing.until_explored(), 1U) << "when its turn comes";
}

TEST(Tuner, ExplorationsPayTheirPriceFromTheBudget) {
  ExplorationBudget budget(10);
  Program program{.costs = {1, 1.4F}, .operation = {.budget = &budget, .amounts = {1, 1}}, .budget = &budget};
  program.run(6);
  EXPECT_NEAR(budget.left(), 10 - 3 * 0.4, 1e-3) << "three operations cost 0.4 more";
  program.run(100'000);
  EXPECT_GE(budget.left(), 5) << "half is kept for other tuners";
  EXPECT_LE(budget.left(), 5 + 4 * 0.4);
}

TEST(Tuner, AHopelessExplorationEndsEarlyAndADelayHasABoundedPrice) {
  ExplorationBudget budget(1000);
  Program program{.costs = {1, 1000}, .operation = {.budget = &budget, .amounts = {1, 1}}, .budget = &budget};
  int explored = 0;
  for (int i = 0; i < 10; ++i) explored += program.run().explores ? 1 : 0;
  EXPECT_EQ(explored, 2);
  EXPECT_NEAR(budget.left(), 1000 - 2 * 4, 0.1) << "as if it took five times as long; the others earn a little";
}

TEST(Tuner, UsesPossibleCandidatesOnly) {
  Program program{.costs = {1, 2}};
  program.run(20);
  program.operation.possible.reset(0);
  EXPECT_EQ(program.run().candidate, 1U);
  program.run(500);
  EXPECT_EQ(program.tuner.in_use(), 1U);
  program.operation.possible.set();
  program.run(100);
  EXPECT_EQ(program.tuner.in_use(), 0U);
  program.operation.may_explore = false;
  EXPECT_EQ(program.until_explored(), Tuner::most_candidates);
}

// Results that never come do not stop the tuner for ever.
TEST(Tuner, AnExplorationWithoutResultsEnds) {
  Program program{.costs = {1, 2}};
  program.run(3);
  int explored = 0;
  for (int i = 0; i < 1000; ++i) explored += program.tuner.next({}).explores ? 1 : 0;
  EXPECT_GT(explored, 3);
  EXPECT_LE(explored, 3 * 4);
  program.run(400);
  EXPECT_EQ(program.tuner.cost(1), 2);
}

// Operations whose costs tell nothing are replaced, but not without end.
TEST(Tuner, AnExplorationGoesOnAfterFewLostCostsOnly) {
  for (const int lost : {5, 100}) {
    Program program{.costs = {1, 2}};
    program.run(3);
    int explored = 0;
    for (int i = 0; i < 200; ++i) {
      const Tuner::Next next = program.tuner.next({});
      if (next.explores && ++explored <= lost) {
        program.tuner.lost(next.candidate);
      } else if (next.timed) {
        program.tuner.took(next.candidate, program.costs[next.candidate]);
      }
      if (i < 50) {
        EXPECT_LE(explored, lost == 5 ? 5 + 3 + 2 * 2 : 2 * 10);
      }
    }
    EXPECT_EQ(program.tuner.knows(1), lost == 5);
  }
}

constexpr Tuner::Rules by_shape{.length = 1,
                                .until_first = 8,
                                .first_interval = 8,
                                .longest_interval = 8,
                                .never_beyond = 3,
                                .caller_decides = true};

TEST(Tuner, IfTheCallerDecidesEachOperationHasItsOwnCosts) {
  Tuner tuner(by_shape, 2, {1, 1, Tuner::unknown, Tuner::unknown});
  const auto explorations = [&](const Tuner::Costs& costs, std::size_t best) {
    int others = 0;
    for (int i = 0; i < 90; ++i) {
      tuner.decide(costs);
      others += tuner.next({.costs = &costs}).candidate == best ? 0 : 1;
    }
    return others;
  };
  EXPECT_EQ(explorations({1, 2}, 0), 11);
  EXPECT_EQ(explorations({2, 1}, 1), 11);
  EXPECT_EQ(explorations({1, 4}, 0), 0) << "beyond the limit";
}

// Processes that agree on costs must agree on when they measure what, whatever their clocks say.
TEST(Tuner, TogetherTheOrderOfExplorationsDoesNotDependOnCosts) {
  constexpr Tuner::Rules agreed{.length = 2, .until_first = 3, .growth = 4, .together = true, .caller_decides = true};
  Tuner one(agreed, 3), other(agreed, 3);
  std::vector<std::size_t> order;
  for (int i = 0; i < 9; ++i) {
    const Tuner::Next next = one.next({});
    ASSERT_EQ(other.next({}).candidate, next.candidate);
    if (next.timed) order.push_back(next.candidate);
    if (next.timed) one.took(next.candidate, 5 - static_cast<float>(i % 2));  // the other one reports nothing
  }
  EXPECT_EQ(order, (std::vector<std::size_t>{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(one.costs(), (Tuner::Costs{4, 4, 4, Tuner::unknown}));
  EXPECT_EQ(one.next({}).candidate, 0U);
  ASSERT_TRUE(one.is_complete());
  EXPECT_TRUE(one.decide({4, 3, 3, Tuner::unknown}));
  EXPECT_FALSE(one.is_complete());
  EXPECT_EQ(one.in_use(), 1U);
}

}  // namespace
}  // namespace bowline
