// SPDX-License-Identifier: BSD-3-Clause
// Where ranks go on machines larger than the one at hand: two sockets with two NUMA nodes of two cores each.
#include "launcher/binding.hpp"

#include <gtest/gtest.h>

#include <set>

#include "launcher/core_claims.hpp"

namespace bowline::launcher {
namespace {

constexpr const char* eight_cores = "pack:2 numa:2 core:2 pu:1";

bool free_core(int) {
  return true;
}

Options with(int ranks, Place bind_to, Place map_by = Place::automatic) {
  Options options;
  options.apps.push_back({.ranks = ranks, .command = {"prog"}});
  options.placement.bind_to = bind_to;
  options.placement.map_by = map_by;
  return options;
}

/// As the user writes it.
Options with_words(int ranks, const std::string& bind_to, const std::string& map_by, const std::string& rank_by = "") {
  Options options = with(ranks, Place::automatic);
  if (!bind_to.empty()) parse_bind_to(bind_to, options.placement, options.warnings);
  if (!map_by.empty()) parse_map_by(map_by, options.placement, options.warnings);
  if (!rank_by.empty()) parse_rank_by(rank_by, options.placement);
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
  EXPECT_EQ(lists(plan_binding(with(3, Place::core), machine, 1, free_core)), (Lists{"0", "1", "2"}));
}

TEST(Binding, DealtToSocketsAndNumaNodes) {
  const Topology machine(eight_cores);
  EXPECT_EQ(lists(plan_binding(with(5, Place::core, Place::socket), machine, 1, free_core)),
            (Lists{"0", "4", "1", "5", "2"}));
  EXPECT_EQ(lists(plan_binding(with(6, Place::core, Place::numa), machine, 1, free_core)),
            (Lists{"0", "2", "4", "6", "1", "3"}));
}

TEST(Binding, WiderObjects) {
  const Topology machine(eight_cores);
  EXPECT_EQ(lists(plan_binding(with(3, Place::numa), machine, 1, free_core)), (Lists{"0-1", "0-1", "2-3"}));
  EXPECT_EQ(lists(plan_binding(with(2, Place::numa, Place::numa), machine, 1, free_core)), (Lists{"0-1", "2-3"}));
  EXPECT_EQ(lists(plan_binding(with(2, Place::socket, Place::socket), machine, 1, free_core)), (Lists{"0-3", "4-7"}));
}

TEST(Binding, HardwareThreadsOfACoreBelongTogether) {
  const Topology machine("pack:1 core:2 pu:2");
  EXPECT_EQ(lists(plan_binding(with(2, Place::core), machine, 1, free_core)), (Lists{"0-1", "2-3"}));
}

// Two sockets of four cores of two hardware threads: what Open MPI 4.1 and MPICH 4.0 do there, but for what
// docs/launching.md names as different.
TEST(Binding, FormsOfOtherLaunchers) {
  const Topology machine("pack:2 numa:1 l3:1 core:4 pu:2");
  const struct {
    const char* bind_to;
    const char* map_by;
    const char* rank_by;
    int ranks;
    Lists expected;
  } cases[] = {
      {"core", "ppr:1:socket", "", 2, {"0-1", "8-9"}},
      {"core", "ppr:2:socket", "", 3, {"0-1", "2-3", "8-9"}},
      {"socket", "ppr:2:socket", "", 4, {"0-7", "0-7", "8-15", "8-15"}},
      {"", "ppr:2:socket:PE=2", "", 4, {"0-3", "4-7", "8-11", "12-15"}},
      {"", "socket:PE=2", "", 4, {"0-3", "8-11", "4-7", "12-15"}},
      {"", "core:PE=2", "", 3, {"0-3", "4-7", "8-11"}},
      {"", "slot:PE=3", "", 2, {"0-5", "6-11"}},
      {"core", "socket", "", 4, {"0-1", "8-9", "2-3", "10-11"}},
      {"core", "socket", "slot", 4, {"0-1", "8-9", "2-3", "10-11"}},
      {"core", "socket", "core", 4, {"0-1", "2-3", "8-9", "10-11"}},
      {"core", "core", "socket", 6, {"0-1", "8-9", "2-3", "10-11", "4-5", "6-7"}},
      {"core", "socket:SPAN", "", 3, {"0-1", "2-3", "8-9"}},
      {"core", "l3cache", "", 3, {"0-1", "8-9", "2-3"}},
      {"core", "node", "", 2, {"0-1", "2-3"}},
      {"l3cache", "l3cache", "", 3, {"0-7", "8-15", "0-7"}},
      {"hwthread", "", "", 3, {"0", "2", "4"}},
      {"hwthread", "hwthread", "", 3, {"0", "1", "2"}},
      {"hwthread", ":HWTCPUS", "", 3, {"0", "1", "2"}},
      {"hwthread", "socket", "", 4, {"0", "8", "1", "9"}},
      {"hwthread", "core:2", "", 5, {"0", "4", "8", "12", "1"}},
      {"core:2", "", "", 5, {"0-3", "4-7", "8-11", "12-15", "0-3"}},
      {"core", "core:2", "", 6, {"0-1", "4-5", "8-9", "12-13", "2-3", "6-7"}},
      {"core", "socket:2", "", 3, {"0-1", "2-3", "4-5"}},
      {"socket:2", "", "", 2, {"0-15", "0-15"}},
      {"board", "", "", 2, {"0-15", "0-15"}},
      {"user:0+2,1+4,3", "", "", 4, {"0,2", "1,4", "3", ""}},
      {"rr", "", "", 3, {"0", "1", "2"}},
      {"core", "pe-list=2,3,8-9", "", 3, {"2-3", "8-9", "2-3"}},
      {"none", "socket:PE=2", "", 2, {"", ""}},
  };
  for (const auto& row : cases) {
    const Options options = with_words(row.ranks, row.bind_to, row.map_by, row.rank_by);
    EXPECT_EQ(lists(plan_binding(options, machine, 1, free_core)), row.expected)
        << "--bind-to " << row.bind_to << " --map-by " << row.map_by << " --rank-by " << row.rank_by;
  }
}

TEST(Binding, HardwareThreadsOfACoreAreClaimedTogether) {
  const Topology machine("pack:1 core:2 pu:2");
  std::multiset<int> claimed;
  const auto claim = [&](int cpu) { return claimed.insert(cpu), true; };
  EXPECT_EQ(lists(plan_binding(with_words(3, "", ":HWTCPUS"), machine, 1, claim)), (Lists{"0", "1", "2"}));
  EXPECT_EQ(claimed, (std::multiset<int>{0, 2}));
}

TEST(Binding, CoresOfARankAreOnOneSocket) {
  const Topology machine(eight_cores);
  EXPECT_EQ(lists(plan_binding(with(4, Place::core, Place::socket), machine, 2, free_core)),
            (Lists{"0-1", "4-5", "2-3", "6-7"}));
  EXPECT_EQ(lists(plan_binding(with(2, Place::automatic, Place::socket), machine, 2, free_core)),
            (Lists{"0-1", "4-5"}));
}

TEST(Binding, CoresForThreads) {
  const Topology machine(eight_cores);
  EXPECT_EQ(lists(plan_binding(with(2, Place::automatic), machine, 4, free_core)), (Lists{"0-3", "4-7"}));
  EXPECT_EQ(lists(plan_binding(with(3, Place::automatic), machine, 4, free_core)), (Lists{"", "", ""}));
}

TEST(Binding, AutomaticChoice) {
  const Topology machine(eight_cores);
  EXPECT_EQ(lists(plan_binding(with(2, Place::automatic), machine, 1, free_core)), (Lists{"0", "1"}));
  EXPECT_EQ(lists(plan_binding(with(1, Place::automatic), machine, 1, free_core)), Lists{""});
  EXPECT_EQ(lists(plan_binding(with(8, Place::automatic), machine, 1, free_core)).back(), "7");
  EXPECT_EQ(lists(plan_binding(with(9, Place::automatic), machine, 1, free_core)), Lists(9, ""));
}

TEST(Binding, AutomaticChoiceAvoidsClaimedCores) {
  const Topology machine(eight_cores);
  const auto odd_is_free = [](int cpu) { return cpu % 2 == 1; };
  EXPECT_EQ(lists(plan_binding(with(3, Place::automatic), machine, 1, odd_is_free)), (Lists{"1", "3", "5"}));
  EXPECT_EQ(lists(plan_binding(with(5, Place::automatic), machine, 1, odd_is_free)), Lists(5, ""));
}

TEST(Binding, AnOrderIsFollowedEvenWhereItShares) {
  const Topology machine("pack:1 core:2 pu:1");
  const auto taken = [](int) { return false; };
  const BindingPlan plan = plan_binding(with(3, Place::core), machine, 1, taken);
  EXPECT_EQ(lists(plan), (Lists{"0", "1", "0"}));
  EXPECT_NE(plan.reason.find("share"), std::string::npos);
}

TEST(Binding, ExplicitBindingClaimsItsCores) {
  const Topology machine(eight_cores);
  std::set<int> claimed;
  plan_binding(with(2, Place::core, Place::socket), machine, 1, [&](int cpu) { return claimed.insert(cpu).second; });
  EXPECT_EQ(claimed, (std::set<int>{0, 4}));
}

TEST(Binding, MaskSaysTheSameAsTheList) {
  const Topology machine("pack:1 core:70 pu:1");
  const BindingPlan plan = plan_binding(with(70, Place::core), machine, 1, free_core);
  EXPECT_EQ(plan.ranks[69].list, "69");
  ASSERT_EQ(plan.ranks[69].mask.size(), 2U);
  EXPECT_EQ(plan.ranks[69].mask[0], 0U);
  EXPECT_EQ(plan.ranks[69].mask[1], 1UL << 5);
}

TEST(Binding, ASpawnedJobGetsCoresOfItsOwnIfThereAreEnough) {
  const Topology machine(eight_cores);
  const auto odd_is_free = [](int cpu) { return cpu % 2 == 1; };
  for (const Place bind_to : {Place::automatic, Place::core}) {
    Options options = with(2, bind_to);
    options.placement.beside_others = true;
    EXPECT_EQ(lists(plan_binding(options, machine, 1, odd_is_free)), (Lists{"1", "3"}));
    options.placement.units_per_rank = 2;
    EXPECT_EQ(lists(plan_binding(options, machine, 1, odd_is_free)), (Lists{"1,3", "5,7"}));
  }
  Options many = with(5, Place::core);
  many.placement.beside_others = true;
  EXPECT_EQ(lists(plan_binding(many, machine, 1, odd_is_free)), (Lists{"0", "1", "2", "3", "4"}));  // as asked
  const auto from_3_is_unused = [](int cpu) { return cpu >= 3; };
  EXPECT_EQ(lists(plan_binding(many, machine, 1, odd_is_free, from_3_is_unused)), (Lists{"3", "4", "5", "6", "7"}));
  many.placement.bind_to = Place::automatic;
  EXPECT_EQ(lists(plan_binding(many, machine, 1, odd_is_free)), Lists(5, ""));
}

TEST(Binding, JobsOfOneMpiexecAvoidEachOthersCoresAlsoWhereAnotherHasThem) {
  constexpr int taken = 987650;
  CoreClaims foreign;
  EXPECT_TRUE(foreign.claim(taken));
  BindingPlan plan;
  plan.ranks.emplace_back().mask.assign(taken / 64 + 1, ~0UL);
  UsedCores used;
  {
    CoreClaims first(used);
    EXPECT_FALSE(first.claim(taken));
    first.use(plan);
    foreign.release();
    CoreClaims second(used);
    EXPECT_FALSE(second.claim(taken));
    EXPECT_TRUE(second.claim(taken + 1));
    second.use({});  // bound elsewhere
    EXPECT_EQ(used, UsedCores{taken});
  }
  EXPECT_TRUE(used.empty());
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
