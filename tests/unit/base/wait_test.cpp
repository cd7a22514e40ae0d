// SPDX-License-Identifier: BSD-3-Clause
// base/wait: a wait spins, then yields, then sleeps, and starts anew after progress.
#include "base/wait.hpp"

#include <gtest/gtest.h>

namespace bowline {
namespace {

int count_until_other(Waiter& waiter, Rest kind, Rest& next) {
  int count = 0;
  while ((next = waiter.next()) == kind) ++count;
  return count;
}

TEST(Wait, SpinsThenYieldsThenSleeps) {
  const WaitPolicy policy{3, 2};
  Waiter waiter(policy);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(waiter.next(), Rest::spin);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(waiter.next(), Rest::yield);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(waiter.next(), Rest::sleep);
}

TEST(Wait, ThatHasComeToItsFirstSleepSleepsUntilThereIsProgress) {
  const WaitPolicy policy{.spins = 2, .yields = 3};
  Waiter waiter = Waiter::asleep(policy);
  EXPECT_EQ(waiter.next(), Rest::sleep);
  EXPECT_EQ(waiter.next(), Rest::sleep);
  waiter.progressed();
  EXPECT_EQ(waiter.next(), Rest::spin);
}

TEST(Wait, ProgressStartsAnew) {
  const WaitPolicy policy{1, 1};
  Waiter waiter(policy);
  for (int i = 0; i < 5; ++i) waiter.next();
  EXPECT_EQ(waiter.next(), Rest::sleep);
  waiter.progressed();
  EXPECT_EQ(waiter.next(), Rest::spin);
  EXPECT_EQ(waiter.next(), Rest::yield);
  EXPECT_EQ(waiter.next(), Rest::sleep);
}

TEST(Wait, OnSharedCoresAWaitThatHasYieldedDoesNotSpinAgain) {
  const WaitPolicy policy{2, 1, true};
  Waiter waiter(policy);
  EXPECT_EQ(waiter.next(), Rest::spin);
  waiter.progressed();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(waiter.next(), Rest::spin);
  EXPECT_EQ(waiter.next(), Rest::yield);
  waiter.progressed();
  EXPECT_EQ(waiter.next(), Rest::yield);
  EXPECT_EQ(waiter.next(), Rest::sleep);
}

TEST(Wait, OnSharedCoresAWaitForSeveralDoesNotSpin) {
  const WaitPolicy policy{2, 1, true};
  Waiter waiter(policy, Awaited::several);
  EXPECT_EQ(waiter.next(), Rest::yield);
  waiter.progressed();
  EXPECT_EQ(waiter.next(), Rest::yield);
  EXPECT_EQ(waiter.next(), Rest::sleep);
  const WaitPolicy alone{1, 1, false};
  EXPECT_EQ(Waiter(alone, Awaited::several).next(), Rest::spin);
}

TEST(Wait, RanksThatHaveOneCoreTogetherDoNotSpin) {
  EXPECT_EQ(WaitPolicy::make({.ranks = 2, .cores = 1, .threaded = false}).spins, 0U);
  EXPECT_GT(WaitPolicy::make({.ranks = 1, .cores = 1, .threaded = false}).spins, 0U);
}

TEST(Polls, OnSharedCoresYieldOnceAWaitWouldNotSpin) {
  const WaitPolicy policy{2, 1, true};
  Polls polls;
  for (int round = 0; round < 2; ++round) {
    EXPECT_FALSE(polls.should_yield(policy));
    EXPECT_FALSE(polls.should_yield(policy));
    for (int i = 0; i < 10; ++i) EXPECT_TRUE(polls.should_yield(policy));
    polls.progressed();
  }
}

TEST(Polls, OnCoresOfTheirOwnYieldNowAndThen) {
  const WaitPolicy policy{2, 1, false};
  Polls polls;
  int yields = 0;
  for (int i = 0; i < 10'000; ++i) yields += polls.should_yield(policy) ? 1 : 0;
  EXPECT_GT(yields, 0);
  EXPECT_LT(yields, 100);
}

TEST(Wait, NothingToSpinAndNothingToYield) {
  const WaitPolicy policy{0, 0};
  Waiter waiter(policy);
  EXPECT_EQ(waiter.next(), Rest::sleep);
}

TEST(Wait, WithMoreRanksThanCoresSpinningIsShort) {
  EXPECT_GT(WaitPolicy::make({.ranks = 4, .cores = 2, .threaded = false}).spins, 0U);
  EXPECT_LT(WaitPolicy::make({.ranks = 4, .cores = 2, .threaded = false}).spins,
            WaitPolicy::make({.ranks = 2, .cores = 2, .threaded = false}).spins / 10);
  EXPECT_GT(WaitPolicy::make({.ranks = 4, .cores = 2, .threaded = false}).yields, 0U);
}

TEST(Wait, WithEnoughCoresSpinningComesFirst) {
  const WaitPolicy policy = WaitPolicy::make({.ranks = 2, .cores = 2, .threaded = false});
  EXPECT_GT(policy.spins, 0U);
  Waiter waiter(policy);
  Rest next = Rest::spin;
  EXPECT_EQ(count_until_other(waiter, Rest::spin, next), static_cast<int>(policy.spins));
  EXPECT_EQ(next, Rest::yield);
}

}  // namespace
}  // namespace bowline
