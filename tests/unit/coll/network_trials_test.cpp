// SPDX-License-Identifier: BSD-3-Clause
// coll/selection/network_trials: members that count the same blocking calls try the same ways at the same calls and
// choose alike, whatever they have measured and whichever calls they make.
#include "coll/selection/network_trials.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "coll/team/team.hpp"

namespace bowline::coll {
namespace {

constexpr std::array<Algorithm, 3> algorithms_of_test = {Algorithm{.name = "first", .run = nullptr},
                                                         Algorithm{.name = "second", .run = nullptr},
                                                         Algorithm{.name = "third", .run = nullptr}};
constexpr Ways three_ways = {
    .list = {{{&algorithms_of_test[0], 0}, {&algorithms_of_test[1], 8}, {&algorithms_of_test[2], 0}}}, .count = 3};

struct Served {
  std::size_t way;
  bool measured;
  bool operator==(const Served&) const = default;
};

/// Members that make the same calls; a call takes each of them a time of its own.
class Members {
 public:
  explicit Members(std::size_t count) : trials_(count) {}

  /// Blocking call `number`, of this length; what served it, in the first member. 0: no call that is compared.
  Served call(std::int32_t number, std::size_t bytes, const std::function<float(std::size_t, std::size_t)>& seconds) {
    std::vector<Served> served;
    if (trials_[0].is_exploring(number) && trials_[0].exchanges(number)) exchange(number);
    for (std::size_t member = 0; member < trials_.size(); ++member)
      served.push_back(call_of(member, number, bytes, seconds));
    for (const Served& each : served) EXPECT_EQ(each, served[0]) << "call " << number;
    return served[0];
  }
  std::size_t in_use(std::size_t bytes) {
    const NetworkTrial& trial = trials_[0].of(Operation::allgather, bytes, three_ways);
    return static_cast<std::size_t>(trial.in_use().algorithm - &algorithms_of_test[0]);
  }

  int exchanges = 0;
  int decisions = 0;

 private:
  void exchange(std::int32_t number) {
    ++exchanges;
    NetworkTrials::Sums sums{};
    for (const NetworkTrials& each : trials_) {
      EXPECT_TRUE(each.is_exploring(number) && each.exchanges(number));
      const NetworkTrials::Sums own = each.measured();
      std::ranges::transform(sums, own, sums.begin(), std::plus());
    }
    for (NetworkTrials& each : trials_) decisions += static_cast<int>(each.decide(number, sums).size());
  }
  Served call_of(std::size_t member, std::int32_t number, std::size_t bytes,
                 const std::function<float(std::size_t, std::size_t)>& seconds) {
    NetworkTrials& trials = trials_[member];
    if (bytes == 0) return {0, false};
    NetworkTrial& trial = trials.of(Operation::allgather, bytes, three_ways);
    if (trials.is_exploring(number)) {
      if (const auto way = trial.measured(trials.turn(number))) {
        trial.took(*way, seconds(member, *way));
        return {*way, true};
      }
    }
    return {static_cast<std::size_t>(trial.in_use().algorithm - &algorithms_of_test[0]), false};
  }

  std::vector<NetworkTrials> trials_;
};

float third_is_best(std::size_t member, std::size_t way) {
  return (way == 2 ? 10e-6F : 20e-6F) + static_cast<float>(member) * 1e-6F;
}

TEST(NetworkTrials, TakeTheWayWithTheLeastSum) {
  Members members(3);
  std::array<int, 3> measured{};
  for (std::int32_t number = 1; number < 100; ++number) {
    const Served served = members.call(number, 10'000, third_is_best);
    if (served.measured) ++measured[served.way];
  }
  EXPECT_EQ(measured, (std::array<int, 3>{4, 4, 4}));
  EXPECT_EQ(members.decisions, 3) << "one in each member";
  EXPECT_EQ(members.in_use(10'000), 2U);
  EXPECT_EQ(members.in_use(100'000), 0U) << "another class of lengths has a comparison of its own";
}

TEST(NetworkTrials, OneMembersTimeCannotDecideAlone) {
  Members members(3);
  // The first member alone finds the second way fast.
  const auto seconds = [](std::size_t member, std::size_t way) {
    if (way == 2) return 15e-6F;
    return member == 0 && way == 1 ? 5e-6F : 25e-6F;
  };
  for (std::int32_t number = 1; number < 100; ++number) members.call(number, 10'000, seconds);
  EXPECT_EQ(members.in_use(10'000), 2U);
}

TEST(NetworkTrials, RareCallsAreMeasuredInMoreCycles) {
  Members members(2);
  for (std::int32_t number = 1; number < 100; ++number)
    members.call(number, number % 3 == 0 ? std::size_t{10'000} : 0, third_is_best);
  EXPECT_GT(members.exchanges, 1);
  EXPECT_EQ(members.in_use(10'000), 2U);
}

TEST(NetworkTrials, CallsThatAreTooRareKeepTheirWay) {
  Members members(2);
  for (std::int32_t number = 1; number < 200; ++number)
    members.call(number, number % 40 == 9 ? std::size_t{10'000} : 0, third_is_best);
  EXPECT_EQ(members.in_use(10'000), 0U);
  EXPECT_EQ(members.decisions, 0);
}

TEST(NetworkTrials, MembersThatCompareNothingExchangeMoreAndMoreRarely) {
  Members members(2);
  std::int32_t number = 1;
  for (; number < 10'000; ++number) members.call(number, 0, third_is_best);
  EXPECT_LT(members.exchanges, 10);
  const int before = members.exchanges;
  for (; number < 100'000; ++number) members.call(number, 0, third_is_best);
  EXPECT_LT(members.exchanges - before, 23) << "one in 4096 calls";
}

TEST(NetworkTrials, NewLengthsAreComparedSoon) {
  Members members(2);
  std::int32_t number = 1;
  for (std::size_t bytes = 6'000; bytes < 3'000'000; bytes *= 2) {
    const std::int32_t end = number + 220;
    for (; number < end; ++number) members.call(number, number % 2 == 0 ? bytes : 0, third_is_best);
    EXPECT_EQ(members.in_use(bytes), 2U) << bytes;
  }
}

TEST(NetworkTrials, LookAgain) {
  Members members(2);
  std::int32_t number = 1;
  for (; number < 100; ++number) members.call(number, 10'000, third_is_best);
  ASSERT_EQ(members.in_use(10'000), 2U);
  const auto first_is_best = [](std::size_t, std::size_t way) { return way == 0 ? 1e-6F : 20e-6F; };
  for (; number < 10'000; ++number) members.call(number, 10'000, first_is_best);
  EXPECT_EQ(members.in_use(10'000), 0U);
  EXPECT_EQ(members.decisions, 4);
  int measured = 0;
  for (; number < 40'000; ++number) measured += members.call(number, 10'000, first_is_best).measured ? 1 : 0;
  EXPECT_EQ(measured, 12) << "the interval grows";
}

TEST(NetworkTrials, ALittleLessTimeIsNoReasonToChange) {
  Members members(2);
  const auto seconds = [](std::size_t, std::size_t way) { return way == 1 ? 98e-6F : 100e-6F; };
  for (std::int32_t number = 1; number < 100; ++number) members.call(number, 10'000, seconds);
  EXPECT_EQ(members.in_use(10'000), 0U);
  EXPECT_EQ(members.decisions, 2);
}

TEST(NetworkTrials, TheNumbersOfCallsMayBeginAgain) {
  NetworkTrials trials;
  const std::int32_t last = CallOrder::tags - 1;
  trials.abandon(last);
  EXPECT_FALSE(trials.is_exploring(last));
  EXPECT_FALSE(trials.is_exploring(0));
  EXPECT_TRUE(trials.is_exploring(static_cast<std::int32_t>(NetworkTrials::first_interval)));
  EXPECT_EQ(trials.turn(static_cast<std::int32_t>(NetworkTrials::first_interval) + 3), 1U);
}

TEST(NetworkTrials, CombineNothing) {
  for (int i = 0; i < operations; ++i) {
    const auto operation = static_cast<Operation>(i);
    EXPECT_FALSE(NetworkTrials::compares(operation) && reduces(operation)) << name_of(operation);
  }
}

}  // namespace
}  // namespace bowline::coll
