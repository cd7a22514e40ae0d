// SPDX-License-Identifier: BSD-3-Clause
// Where ranks go on machines larger than the one at hand: two sockets with two NUMA nodes of two cores each.
#include "launcher/binding.hpp"

#include <gtest/gtest.h>

#include <set>

namespace bowline::launcher {
namespace {

constexpr const char* eight_cores = "pack:2 numa:2 core:2 pu:1";

bool free_core(int) {
  return true;
}

Options with(int ranks, BindTo bind_to, MapBy map_by = MapBy::automatic) {
  Options options;
  options.apps.push_back({.ranks = ranks, .command = {"prog"}});
  options.bind_to = bind_to;
  options.map_by = map_by;
  return options;
}

using Lists = std::vector<std::string>;

Lists lists(const BindingPlan& plan) {
  Lists result;
  for (const Binding& binding : plan.ranks) result.push_back(binding.list);
  return result;
}

TEST(Binding, CoreAfterCore) {
  const Topology machine(eight_cores);
  EXPECT_EQ(lists(plan_binding(with(3, BindTo::core), machine, 1, free_core)), (Lists{"0", "1", "2"}));
}

TEST(Binding, DealtToSocketsAndNumaNodes) {
  const Topology machine(eight_cores);
  EXPECT_EQ(lists(plan_binding(with(5, BindTo::core, MapBy::socket), machine, 1, free_core)),
            (Lists{"0", "4", "1", "5", "2"}));
  EXPECT_EQ(lists(plan_binding(with(6, BindTo::core, MapBy::numa), machine, 1, free_core)),
            (Lists{"0", "2", "4", "6", "1", "3"}));
}

TEST(Binding, WiderObjects) {
  const Topology machine(eight_cores);
  EXPECT_EQ(lists(plan_binding(with(3, BindTo::numa), machine, 1, free_core)), (Lists{"0-1", "0-1", "2-3"}));
  EXPECT_EQ(lists(plan_binding(with(2, BindTo::numa, MapBy::numa), machine, 1, free_core)), (Lists{"0-1", "2-3"}));
  EXPECT_EQ(lists(plan_binding(with(2, BindTo::socket, MapBy::socket), machine, 1, free_core)), (Lists{"0-3", "4-7"}));
}

TEST(Binding, HardwareThreadsOfACoreBelongTogether) {
  const Topology machine("pack:1 core:2 pu:2");
  EXPECT_EQ(lists(plan_binding(with(2, BindTo::core), machine, 1, free_core)), (Lists{"0-1", "2-3"}));
}

TEST(Binding, CoresForThreads) {
  const Topology machine(eight_cores);
  EXPECT_EQ(lists(plan_binding(with(2, BindTo::automatic), machine, 4, free_core)), (Lists{"0-3", "4-7"}));
  EXPECT_EQ(lists(plan_binding(with(3, BindTo::automatic), machine, 4, free_core)), (Lists{"", "", ""}));
}

TEST(Binding, AutomaticChoice) {
  const Topology machine(eight_cores);
  EXPECT_EQ(lists(plan_binding(with(2, BindTo::automatic), machine, 1, free_core)), (Lists{"0", "1"}));
  EXPECT_EQ(lists(plan_binding(with(1, BindTo::automatic), machine, 1, free_core)), Lists{""});
  EXPECT_EQ(lists(plan_binding(with(8, BindTo::automatic), machine, 1, free_core)).back(), "7");
  EXPECT_EQ(lists(plan_binding(with(9, BindTo::automatic), machine, 1, free_core)), Lists(9, ""));
}

TEST(Binding, AutomaticChoiceAvoidsClaimedCores) {
  const Topology machine(eight_cores);
  const auto odd_is_free = [](int cpu) { return cpu % 2 == 1; };
  EXPECT_EQ(lists(plan_binding(with(3, BindTo::automatic), machine, 1, odd_is_free)), (Lists{"1", "3", "5"}));
  EXPECT_EQ(lists(plan_binding(with(5, BindTo::automatic), machine, 1, odd_is_free)), Lists(5, ""));
}

TEST(Binding, AnOrderIsFollowedEvenWhereItShares) {
  const Topology machine("pack:1 core:2 pu:1");
  const auto taken = [](int) { return false; };
  const BindingPlan plan = plan_binding(with(3, BindTo::core), machine, 1, taken);
  EXPECT_EQ(lists(plan), (Lists{"0", "1", "0"}));
  EXPECT_NE(plan.reason.find("share"), std::string::npos);
}

TEST(Binding, ExplicitBindingClaimsItsCores) {
  const Topology machine(eight_cores);
  std::set<int> claimed;
  plan_binding(with(2, BindTo::core, MapBy::socket), machine, 1, [&](int cpu) { return claimed.insert(cpu).second; });
  EXPECT_EQ(claimed, (std::set<int>{0, 4}));
}

TEST(Binding, MaskSaysTheSameAsTheList) {
  const Topology machine("pack:1 core:70 pu:1");
  const BindingPlan plan = plan_binding(with(70, BindTo::core), machine, 1, free_core);
  EXPECT_EQ(plan.ranks[69].list, "69");
  ASSERT_EQ(plan.ranks[69].mask.size(), 2U);
  EXPECT_EQ(plan.ranks[69].mask[0], 0U);
  EXPECT_EQ(plan.ranks[69].mask[1], 1UL << 5);
}

TEST(Binding, ClaimsEndWithTheirOwner) {
  constexpr int no_such_cpu = 987654;
  CoreClaims second;
  {
    CoreClaims first;
    EXPECT_TRUE(first.claim(no_such_cpu));
    EXPECT_FALSE(second.claim(no_such_cpu));
  }
  EXPECT_TRUE(second.claim(no_such_cpu));
  second.release();
  EXPECT_TRUE(second.claim(no_such_cpu));
}

TEST(Binding, ThreadsPerRank) {
  EXPECT_EQ(threads_per_rank(nullptr), 1);
  EXPECT_EQ(threads_per_rank("4"), 4);
  EXPECT_EQ(threads_per_rank("4,2"), 4);
  EXPECT_EQ(threads_per_rank("1"), 1);
  EXPECT_EQ(threads_per_rank("0"), 1);
  EXPECT_EQ(threads_per_rank("-3"), 1);
  EXPECT_EQ(threads_per_rank("4x"), 1);
  EXPECT_EQ(threads_per_rank(""), 1);
}

}  // namespace
}  // namespace bowline::launcher
