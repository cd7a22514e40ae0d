// SPDX-License-Identifier: BSD-3-Clause
// The barriers: nobody leaves before everybody has come, whoever comes last.
#include "coll/algorithms/barrier/barrier.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>

#include "reference.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

const Arguments nothing;

class EveryBarrier : public testing::TestWithParam<const Algorithm*> {};

TEST_P(EveryBarrier, HoldsEverybodyUntilTheLastComes) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : team_sizes()) {
      for (int late = 0; late < size; ++late) {
        SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members, last " +
                     std::to_string(late));
        Model model(size, seed, GetParam()->shared);
        const std::vector<bool> finished =
            model.run_with_latecomer([](Channel& channel) { return GetParam()->run(channel, nothing); }, late);
        ASSERT_EQ(std::ranges::count(finished, true), 0);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryBarrier, testing::ValuesIn(all_of(Operation::barrier)), name_of_algorithm);

TEST(Barrier, DisseminationTakesTheLogarithmOfRounds) {
  for (const int size : team_sizes()) {
    Model model(size, 1);
    model.run([](Channel& channel) { return barrier_dissemination(channel, nothing); });
    const int rounds = std::bit_width(static_cast<unsigned>(size - 1));
    for (const int sends : model.sends()) EXPECT_EQ(sends, rounds) << size;
  }
}

TEST(Barrier, CentralTakesTwoMessagesPerMember) {
  for (const int size : team_sizes()) {
    Model model(size, 1);
    model.run([](Channel& channel) { return barrier_central(channel, nothing); });
    EXPECT_EQ(model.sends()[0], size - 1);
    for (int member = 1; member < size; ++member) EXPECT_EQ(model.sends()[static_cast<std::size_t>(member)], 1);
  }
}

TEST(Barrier, TreeTakesTwoMessagesPerMemberAndFewFromEach) {
  for (const int size : team_sizes()) {
    Model model(size, 1);
    model.run([](Channel& channel) { return barrier_tree(channel, nothing); });
    EXPECT_EQ(std::accumulate(model.sends().begin(), model.sends().end(), 0), 2 * (size - 1));
    EXPECT_LE(*std::ranges::max_element(model.sends()), 5);
  }
}

TEST(Barrier, SeveralInARowDoNotMix) {
  for (const std::uint32_t seed : test::seeds()) {
    Model model(7, seed);
    const auto three = [](Channel& channel) -> Task {
      Task first = barrier_dissemination(channel, nothing);
      co_await first;
      Task second = barrier_central(channel, nothing);
      co_await second;
      Task third = barrier_dissemination(channel, nothing);
      co_await third;
    };
    model.run(three);
  }
}

}  // namespace
}  // namespace bowline::coll
