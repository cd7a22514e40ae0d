// SPDX-License-Identifier: BSD-3-Clause
// coll/selection/trial: members that count the same calls compare the same candidates and choose alike, and the choice
// follows the times.
#include "coll/selection/trial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "coll/slots/slot_memory.hpp"

namespace bowline::coll {
namespace {

constexpr std::array<Algorithm, 3> ways = {Algorithm{.name = "first", .run = nullptr},
                                           Algorithm{.name = "second", .run = nullptr},
                                           Algorithm{.name = "third", .run = nullptr}};
constexpr std::array<const Algorithm*, 3> all_ways = {&ways[0], &ways[1], &ways[2]};

/// One member whose calls take the given times.
struct Caller {
  Trial trial{7, all_ways};
  std::array<float, 3> seconds{};
  std::vector<std::string_view> served;
  int comparisons = 0;
  int changes = 0;

  float time_of(const Algorithm& algorithm) const { return seconds[static_cast<std::size_t>(&algorithm - &ways[0])]; }

  void call() {
    switch (trial.next()) {
      case Trial::Step::measure:
        served.push_back(trial.measured().name);
        trial.took(time_of(trial.measured()));
        return;
      case Trial::Step::compare:
        ++comparisons;
        changes += trial.decide(trial.times()) ? 1 : 0;
        break;
      case Trial::Step::serve:
        break;
    }
    served.push_back(trial.algorithm().name);
  }
  void calls(unsigned count) {
    for (unsigned i = 0; i < count; ++i) call();
  }
  /// Until the members have compared once more; returns what has served the calls.
  std::vector<std::string_view> until_compared() {
    served.clear();
    for (const int before = comparisons; comparisons == before;) call();
    return served;
  }
};

std::size_t count_of(const std::vector<std::string_view>& served, std::string_view name) {
  return static_cast<std::size_t>(std::count(served.begin(), served.end(), name));
}

TEST(Trial, TheFirstCandidateServesUntilTheMembersHaveCompared) {
  Caller caller{.seconds = {3, 2, 1}};
  EXPECT_EQ(caller.trial.algorithm().name, "first");
  caller.calls(Trial::calls_before + 3 * Trial::calls_each);
  EXPECT_EQ(caller.trial.algorithm().name, "first");
  EXPECT_EQ(caller.comparisons, 0);
  caller.call();
  EXPECT_EQ(caller.comparisons, 1);
  EXPECT_EQ(caller.served.back(), "third") << "the call that compares uses the new one already";
}

TEST(Trial, EachCandidateServesAFewCallsInARow) {
  Caller caller{.seconds = {1, 2, 3}};
  const std::vector<std::string_view> served = caller.until_compared();
  std::vector<std::string_view> expected(Trial::calls_before, "first");
  for (const Algorithm& way : ways) expected.insert(expected.end(), Trial::calls_each, way.name);
  expected.push_back("first");
  EXPECT_EQ(served, expected);
}

TEST(Trial, TheLeastTimeCounts) {
  Trial trial(7, all_ways);
  for (unsigned i = 0; i < Trial::calls_before; ++i) trial.next();
  ASSERT_EQ(trial.next(), Trial::Step::measure);
  trial.took(7);
  ASSERT_EQ(trial.next(), Trial::Step::measure);
  trial.took(5);
  ASSERT_EQ(trial.next(), Trial::Step::measure);
  trial.took(6);
  EXPECT_EQ(trial.times()[0], 5);
  EXPECT_EQ(trial.times()[1], Trial::not_measured);
}

TEST(Trial, AlmostEqualTimesChangeNothing) {
  Caller caller{.seconds = {1, 0.97F, 0.96F}};
  caller.until_compared();
  EXPECT_EQ(caller.trial.algorithm().name, "first");
  EXPECT_EQ(caller.changes, 0);
}

TEST(Trial, AMachineThatChangesChangesTheChoice) {
  Caller caller{.seconds = {1, 2, 3}};
  caller.until_compared();
  caller.until_compared();
  EXPECT_EQ(caller.trial.algorithm().name, "first");
  caller.seconds = {3, 2, 1};
  caller.until_compared();
  EXPECT_EQ(caller.trial.algorithm().name, "third");
  caller.seconds = {1, 2, 3};
  caller.until_compared();  // leaves out the first one, which took three times the least time
  EXPECT_EQ(caller.trial.algorithm().name, "second");
  caller.until_compared();
  EXPECT_EQ(caller.trial.algorithm().name, "first");
}

TEST(Trial, EveryOtherComparisonLeavesOutWhatTakesFarTooLong) {
  Caller caller{.seconds = {1, 1.5F, 5}};
  EXPECT_EQ(count_of(caller.until_compared(), "third"), Trial::calls_each);
  EXPECT_EQ(count_of(caller.until_compared(), "third"), 0U);
  EXPECT_EQ(count_of(caller.until_compared(), "third"), Trial::calls_each);
}

TEST(Trial, ComparisonsBecomeRare) {
  Caller caller{.seconds = {1, 1.5F, 1.5F}};
  caller.until_compared();
  const std::size_t trying = 3 * Trial::calls_each;
  EXPECT_EQ(caller.until_compared().size(), Trial::calls_until_second + trying + 1);
  EXPECT_EQ(caller.until_compared().size(), Trial::calls_between + trying + 1);
  EXPECT_EQ(caller.until_compared().size(), Trial::calls_between + trying + 1);
}

TEST(Trial, MembersWithDifferentTimesChooseBySums) {
  std::array<Caller, 2> members{Caller{.seconds = {1, 4, 2}}, Caller{.seconds = {9, 1, 4}}};
  for (Caller& member : members) member.calls(Trial::calls_before + 3 * Trial::calls_each);
  Trial::Times sums{};
  for (const Caller& member : members) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += member.trial.times()[i];
  }
  for (Caller& member : members) {
    ASSERT_EQ(member.trial.next(), Trial::Step::compare);
    EXPECT_TRUE(member.trial.decide(sums));
    EXPECT_EQ(member.trial.algorithm().name, "second");
  }
}

TEST(Trial, PlansAreEqualIfTrialAndStepAre) {
  Trial one(7, all_ways), same(7, all_ways), other(8, all_ways), ahead(7, all_ways);
  ahead.next();
  std::vector<std::uint32_t> plans;
  for (unsigned call = 0; call <= Trial::calls_before + 3 * Trial::calls_each; ++call) {
    const Trial::Step step = one.next();
    same.next();
    other.next();
    const Trial::Step later = ahead.next();
    if (step == Trial::Step::serve) continue;
    EXPECT_EQ(one.plan(), same.plan());
    EXPECT_NE(one.plan(), other.plan());
    if (later != Trial::Step::serve && step != Trial::Step::compare) {
      EXPECT_NE(one.plan(), ahead.plan());
    }
    EXPECT_LT(one.plan(), 1U << SlotMemory::plan_bits);
    plans.push_back(one.plan());
    if (later == Trial::Step::compare) ahead.abandon();
  }
  EXPECT_EQ(plans.size(), 3 * Trial::calls_each + 1);
  std::ranges::sort(plans);
  EXPECT_EQ(std::ranges::adjacent_find(plans), plans.end());
}

TEST(Trial, AfterAComparisonThatFailedEverythingIsAsBefore) {
  Caller caller{.seconds = {3, 2, 1}};
  caller.calls(Trial::calls_before + 3 * Trial::calls_each);
  ASSERT_EQ(caller.trial.next(), Trial::Step::compare);
  caller.trial.abandon();
  EXPECT_EQ(caller.trial.algorithm().name, "first");
  EXPECT_EQ(caller.until_compared().size(), Trial::calls_until_second + 3 * Trial::calls_each + 1);
  EXPECT_EQ(caller.trial.algorithm().name, "third");
}

TEST(Trials, ThereIsOneForEachOperationPowerOfTwoAndOrder) {
  Trials trials;
  const auto of = [&](Operation operation, std::size_t bytes, bool ordered) {
    return &trials.of(operation, bytes, ordered, all_ways);
  };
  const Trial* const one = of(Operation::bcast, 8192, false);
  EXPECT_EQ(of(Operation::bcast, 4097, false), one);
  EXPECT_NE(of(Operation::bcast, 4096, false), one);
  EXPECT_NE(of(Operation::bcast, 8193, false), one);
  EXPECT_NE(of(Operation::bcast, 8192, true), one);
  EXPECT_NE(of(Operation::gather, 8192, false), one);
  EXPECT_EQ(of(Operation::bcast, 8192, false), one);
  EXPECT_EQ(of(Operation::bcast, std::size_t{5} << 20, false), of(Operation::bcast, std::size_t{1} << 40, false));
  EXPECT_NE(of(Operation::bcast, std::size_t{5} << 20, false), of(Operation::bcast, std::size_t{4} << 20, false));
}

}  // namespace
}  // namespace bowline::coll
