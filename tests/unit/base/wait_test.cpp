// SPDX-License-Identifier: BSD-3-Clause
// base/wait: a wait spins, then yields, then sleeps, and starts anew after progress.
#include "base/wait.hpp"

#include <gtest/gtest.h>

namespace bowline {
namespace {

WaitPolicy policy_of(std::uint32_t spins, std::uint32_t yields) {
  WaitPolicy policy;
  policy.spins = spins;
  policy.yields = yields;
  return policy;
}

int count_until_other(Waiter& waiter, Rest kind, Rest& next) {
  int count = 0;
  while ((next = waiter.next()) == kind) ++count;
  return count;
}

TEST(Wait, SpinsThenYieldsThenSleeps) {
  const WaitPolicy policy = policy_of(3, 2);
  Waiter waiter(policy);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(waiter.next(), Rest::spin);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(waiter.next(), Rest::yield);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(waiter.next(), Rest::sleep);
}

TEST(Wait, ProgressStartsAnew) {
  const WaitPolicy policy = policy_of(1, 1);
  Waiter waiter(policy);
  for (int i = 0; i < 5; ++i) waiter.next();
  EXPECT_EQ(waiter.next(), Rest::sleep);
  waiter.progressed();
  EXPECT_EQ(waiter.next(), Rest::spin);
  EXPECT_EQ(waiter.next(), Rest::yield);
  EXPECT_EQ(waiter.next(), Rest::sleep);
}

TEST(Wait, NothingToSpinAndNothingToYield) {
  const WaitPolicy policy = policy_of(0, 0);
  Waiter waiter(policy);
  EXPECT_EQ(waiter.next(), Rest::sleep);
}

TEST(Wait, WithMoreRanksThanCoresNoOneSpins) {
  EXPECT_EQ(WaitPolicy::make(true).spins, 0U);
  EXPECT_GT(WaitPolicy::make(true).yields, 0U);
}

TEST(Wait, WithEnoughCoresSpinningComesFirst) {
  const WaitPolicy policy = WaitPolicy::make(false);
  EXPECT_GT(policy.spins, 0U);
  Waiter waiter(policy);
  Rest next = Rest::spin;
  EXPECT_EQ(count_until_other(waiter, Rest::spin, next), static_cast<int>(policy.spins));
  EXPECT_EQ(next, Rest::yield);
}

}  // namespace
}  // namespace bowline
