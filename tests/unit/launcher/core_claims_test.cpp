// SPDX-License-Identifier: BSD-3-Clause
// Which cores a lost rank leaves to others.
#include "launcher/core_claims.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bowline::launcher {
namespace {

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

// Two cores of the imagined machine, with two threads each. Claims hold on the whole machine, where real jobs and other
// tests run: the test takes the first two cores from CPU 200 on that nobody has, and keeps others away by a claim on a
// second thread, which jobs never make.
class CoreClaimsTest : public testing::Test {
 protected:
  CoreClaimsTest() {
    while (!has_both_cores()) {
      claims.release();
      reservation.release();
      first_cpu += 4;
    }
    plan.ranks = {bound_to({first_cpu, first_cpu + 1}), bound_to({first_cpu + 2}), bound_to({first_cpu + 3})};
    claims.use(plan);
  }

  bool has_both_cores() {
    return reservation.claim(first_cpu + 1) && claims.claim(first_cpu) && claims.claim(first_cpu + 2);
  }

  int first_cpu = 200;
  const Topology machine{"core:500 pu:2"};
  CoreClaims reservation;
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
