// SPDX-License-Identifier: BSD-3-Clause
// Which cores a lost rank leaves to others.
#include "launcher/core_claims.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bowline::launcher {
namespace {

// Cores of the imagined machine that no real job claims: the names of the sockets are those of the whole machine.
constexpr int first_cpu = 200;

Binding bound_to(std::initializer_list<int> cpus) {
  constexpr int width = 8 * sizeof(unsigned long);
  Binding binding;
  for (const int cpu : cpus) {
    const auto word = static_cast<size_t>(cpu / width);
    if (binding.mask.size() <= word) binding.mask.resize(word + 1);
    binding.mask[word] |= 1UL << (cpu % width);
  }
  return binding;
}

class CoreClaimsTest : public testing::Test {
 protected:
  CoreClaimsTest() {
    plan.ranks = {bound_to({first_cpu, first_cpu + 1}), bound_to({first_cpu + 2}), bound_to({first_cpu + 3})};
    for (const int core : {first_cpu, first_cpu + 2}) EXPECT_TRUE(claims.claim(core));
    claims.use(plan);
  }

  const Topology machine{"core:110 pu:2"};
  UsedCores used;
  CoreClaims claims{used};
  BindingPlan plan;
};

TEST_F(CoreClaimsTest, ACoreOfALostRankIsFree) {
  const std::vector<const Binding*> others = {&plan.ranks[1], &plan.ranks[2]};
  EXPECT_TRUE(claims.release_cores_of(plan.ranks[0], others, machine));
  EXPECT_EQ(used, UsedCores{first_cpu + 2});
  EXPECT_TRUE(claims.claim(first_cpu));
  EXPECT_FALSE(claims.release_cores_of(plan.ranks[0], others, machine));
}

TEST_F(CoreClaimsTest, UnlessAnotherThreadOfItIsInUse) {
  const std::vector<const Binding*> both = {&plan.ranks[0], &plan.ranks[2]};
  EXPECT_FALSE(claims.release_cores_of(plan.ranks[1], both, machine));
  EXPECT_EQ(used, (UsedCores{first_cpu, first_cpu + 2}));
  const std::vector<const Binding*> first_only = {&plan.ranks[0]};
  EXPECT_TRUE(claims.release_cores_of(plan.ranks[2], first_only, machine));
  EXPECT_EQ(used, UsedCores{first_cpu});
}

TEST_F(CoreClaimsTest, ARankThatIsNotBoundHasNone) {
  EXPECT_FALSE(claims.release_cores_of(Binding{}, {}, machine));
  EXPECT_EQ(used.size(), 2U);
}

TEST(CoreClaims, ASingleRankIsBoundWhereItReplacesOne) {
  const Topology machine("core:4 pu:1");
  Options options;
  options.apps.emplace_back();
  const ClaimCore free_core = [](int cpu) { return cpu == 2; };
  EXPECT_EQ(plan_binding(options, machine, 1, free_core).ranks[0].list, "");
  options.placement.binds_single = true;
  EXPECT_EQ(plan_binding(options, machine, 1, free_core).ranks[0].list, "2");
}

}  // namespace
}  // namespace bowline::launcher
