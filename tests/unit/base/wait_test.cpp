// SPDX-License-Identifier: BSD-3-Clause
// base/wait: a wait spins, then yields, then sleeps, and starts anew after progress.
#include "base/wait.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

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
  Waiter waiter = Waiter::asleep(policy, Awaited::one);
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

TEST(Wait, OfTwoRanksOnACoreAWaitForSeveralSpinsShortlyThenLongAfterItsFirstYield) {
  const WaitPolicy policy{.spins = 2,
                          .yields = 3,
                          .shared_cores = true,
                          .of_several = {.first = 1, .after_first_yield = 5, .after_yield = 3}};
  Waiter waiter(policy, Awaited::several);
  Rest next = Rest::spin;
  for (const int spins : {1, 5, 3}) {
    EXPECT_EQ(count_until_other(waiter, Rest::spin, next), spins);
    EXPECT_EQ(next, Rest::yield);
  }
  EXPECT_EQ(count_until_other(waiter, Rest::spin, next), 3);
  EXPECT_EQ(next, Rest::sleep);
  Waiter for_one(policy);
  EXPECT_EQ(count_until_other(for_one, Rest::spin, next), 2);
  EXPECT_EQ(for_one.next(), Rest::yield);
}

/// All that such a wait spins.
std::uint32_t spins_of_several(std::size_t ranks, std::size_t cores, bool threaded) {
  const WaitPolicy::OfSeveral spins =
      WaitPolicy::make({.ranks = ranks, .cores = cores, .threaded = threaded}).of_several;
  return spins.first + spins.after_first_yield + spins.after_yield;
}

TEST(Wait, OnlyOfTwoRanksOnACoreAWaitForSeveralSpins) {
  const WaitPolicy::OfSeveral two = WaitPolicy::make({.ranks = 4, .cores = 2, .threaded = false}).of_several;
  EXPECT_GT(two.first, 0U);
  EXPECT_LT(two.first, two.after_yield);
  EXPECT_LT(two.after_yield, two.after_first_yield);
  EXPECT_GT(spins_of_several(3, 2, false), 0U);
  EXPECT_EQ(spins_of_several(4, 4, false), 0U);
  EXPECT_EQ(spins_of_several(5, 2, false), 0U);
  EXPECT_EQ(spins_of_several(4, 2, true), 0U);
}

TEST(Wait, RanksThatHaveOneCoreTogetherDoNotSpin) {
  EXPECT_EQ(WaitPolicy::make({.ranks = 2, .cores = 1, .threaded = false}).spins, 0U);
  EXPECT_EQ(spins_of_several(2, 1, false), 0U);
  EXPECT_GT(WaitPolicy::make({.ranks = 1, .cores = 1, .threaded = false}).spins, 0U);
}

/// As if others ran for so long while this thread yielded.
void yield_for(std::chrono::microseconds time) {
  const CoreWatch::Clock::time_point now = CoreWatch::Clock::now();
  CoreWatch::yielded(now - time, now);
}

TEST(Wait, SpinsLittleOnceOthersHaveRunWhileItYielded) {
  const WaitPolicy policy{.spins = 20, .yields = 1000, .watches_core = true};
  Rest next{};
  std::thread([&] {  // what yields tell is known to each thread alone
    yield_for(std::chrono::microseconds(0));
    Waiter alone(policy);
    EXPECT_EQ(count_until_other(alone, Rest::spin, next), 20);
    yield_for(std::chrono::microseconds(5));
    Waiter waiter(policy);
    EXPECT_EQ(count_until_other(waiter, Rest::spin, next), static_cast<int>(CoreWatch::spins_then));
    EXPECT_EQ(next, Rest::yield);
    waiter.progressed();
    EXPECT_EQ(count_until_other(waiter, Rest::spin, next), static_cast<int>(CoreWatch::spins_then));
    int waits = 0;  // that remember it
    for (; waits < 10'000; ++waits) {
      Waiter later(policy);
      if (count_until_other(later, Rest::spin, next) == 20) break;
    }
    EXPECT_GT(waits, 10);
    EXPECT_LT(waits, 10'000);
  })
      .join();
}

TEST(Wait, SleepsSoonWhereItsCoreIsTakenAwayWhileItYields) {
  const WaitPolicy policy{.spins = 1, .yields = 1000, .watches_core = true};
  Rest next{};
  std::thread([&] {
    yield_for(std::chrono::milliseconds(1));
    Waiter before(policy);
    EXPECT_EQ(before.next(), Rest::spin);
    EXPECT_EQ(count_until_other(before, Rest::yield, next), 1000);
    yield_for(std::chrono::milliseconds(5));
    Waiter waiter(policy);
    EXPECT_EQ(waiter.next(), Rest::spin);
    EXPECT_EQ(count_until_other(waiter, Rest::yield, next), static_cast<int>(CoreWatch::yields_then));
    EXPECT_EQ(next, Rest::sleep);
    const WaitPolicy careless{.spins = 0, .yields = 1000};  // it need not look
    Waiter other(careless);
    EXPECT_EQ(count_until_other(other, Rest::yield, next), 1000);
  }).join();
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
