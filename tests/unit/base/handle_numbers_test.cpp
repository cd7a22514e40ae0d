// SPDX-License-Identifier: BSD-3-Clause
// base/handle_numbers: one number for a handle as long as it lives, none that was used before for the next.
#include "base/handle_numbers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

namespace bowline {
namespace {

constexpr std::uintptr_t object = 0x7f0000001000;
constexpr int a_kind = 1, another_kind = 2;

TEST(HandleNumbers, AHandleKeepsItsNumber) {
  HandleNumbers numbers;
  const int number = numbers.number_of(object, object, a_kind);
  EXPECT_GE(number, HandleNumbers::first);
  EXPECT_EQ(numbers.number_of(object, object, a_kind), number);
  EXPECT_EQ(numbers.handle_of(number, a_kind), object);
  EXPECT_NE(numbers.number_of(object + 64, object + 64, a_kind), number);
}

TEST(HandleNumbers, OfAnotherKindItStandsForNothing) {
  HandleNumbers numbers;
  EXPECT_EQ(numbers.handle_of(numbers.number_of(object, object, a_kind), another_kind), std::nullopt);
}

TEST(HandleNumbers, WhatWasNeverGivenOutStandsForNothing) {
  HandleNumbers numbers;
  const int number = numbers.number_of(object, object, a_kind);
  for (const int wrong : {-1, 0, 1, HandleNumbers::first - 1, number + 1, number + (1 << 24), 0x7fffffff})
    EXPECT_EQ(numbers.handle_of(wrong, a_kind), std::nullopt) << wrong;
}

TEST(HandleNumbers, AForgottenNumberStandsForNothingAlsoWhenTheMemoryIsUsedAgain) {
  HandleNumbers numbers;
  const int before = numbers.number_of(object, object, a_kind);
  numbers.forget(object);
  EXPECT_EQ(numbers.handle_of(before, a_kind), std::nullopt);
  const int after = numbers.number_of(object, object, a_kind);
  EXPECT_NE(after, before);
  EXPECT_EQ(numbers.handle_of(before, a_kind), std::nullopt);
  EXPECT_EQ(numbers.handle_of(after, a_kind), object);
}

// A request's memory serves many requests, whose handles differ in bits that addresses do not use.
TEST(HandleNumbers, AnotherHandleOfTheSameMemoryTakesItsPlace) {
  HandleNumbers numbers;
  const int before = numbers.number_of(object, object | 1, a_kind);
  const int after = numbers.number_of(object, object | 2, a_kind);
  EXPECT_NE(after, before);
  EXPECT_EQ(numbers.handle_of(before, a_kind), std::nullopt);
  EXPECT_EQ(numbers.handle_of(after, a_kind), object | 2);
}

TEST(HandleNumbers, FreedNumbersRestBeforeTheyComeBack) {
  HandleNumbers numbers;
  std::set<int> seen;
  for (int i = 0; i < 100'000; ++i) {
    ASSERT_TRUE(seen.insert(numbers.number_of(object, object, a_kind)).second) << "after " << i;
    numbers.forget(object);
  }
}

TEST(ThreadsHandleNumbers, ThreadsConvertAtTheSameTime) {
  HandleNumbers numbers;
  std::vector<std::thread> threads;
  for (std::uintptr_t t = 0; t < 4; ++t) {
    threads.emplace_back([&numbers, t] {
      for (std::uintptr_t i = 0; i < 2000; ++i) {
        const std::uintptr_t mine = object + t * 0x100000 + i % 16 * 64;
        EXPECT_EQ(numbers.handle_of(numbers.number_of(mine, mine, a_kind), a_kind), mine);
        if (i % 3 == 0) numbers.forget(mine);
      }
    });
  }
  for (std::thread& each : threads) each.join();
}

// A new handle that two threads convert at the same time has one number, which represents it.
TEST(ThreadsHandleNumbers, ThreadsThatConvertTheSameNewHandleGetTheSameNumber) {
  constexpr std::uintptr_t rounds = 20'000;
  HandleNumbers numbers;
  numbers.number_of(object, object, a_kind);
  std::array<std::atomic<std::uintptr_t>, 2> reached{};
  std::array<std::vector<int>, 2> got;
  const auto convert = [&](std::size_t me) {
    for (std::uintptr_t i = 1; i <= rounds; ++i) {
      reached[me] = i;
      while (reached[1 - me] < i) {
      }
      const std::uintptr_t handle = object | i % 16;
      got[me].push_back(numbers.number_of(object, handle, a_kind));
      EXPECT_EQ(numbers.handle_of(got[me].back(), a_kind), handle);
    }
  };
  std::thread other(convert, 1);
  convert(0);
  other.join();
  EXPECT_EQ(got[0], got[1]);
}

}  // namespace
}  // namespace bowline
