// SPDX-License-Identifier: BSD-3-Clause
// node/placement: neighbours and halves of a oversubscribed job get different cores, every core gets its share, and no
// thread loses a core that it may use.
#include "node/placement.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <vector>

namespace bowline::node {
namespace {

TEST(Placement, EveryCoreGetsItsShare) {
  for (const std::size_t cores : {1, 2, 3, 4, 16, 48}) {
    std::vector<int> ranks(cores, 0);
    for (std::size_t index = 0; index < 5 * cores; ++index) {
      const std::size_t core = preferred_core(index, cores);
      ASSERT_LT(core, cores);
      ++ranks[core];
    }
    EXPECT_EQ(ranks, std::vector<int>(cores, 5)) << cores << " cores";
  }
}

TEST(Placement, EvenNeighboursAndHalvesOfAJobAreApart) {
  for (std::size_t index = 0; index < 4; ++index) {
    EXPECT_NE(preferred_core(2 * index, 2), preferred_core(2 * index + 1, 2));
    EXPECT_NE(preferred_core(index, 2), preferred_core(index + 4, 2));
  }
}

TEST(Placement, AThreadStaysFreeToUseAllItsCores) {
  cpu_set_t before;
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  for (std::size_t index = 0; index < 3; ++index) {
    move_to_preferred_core(index);
    ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
    EXPECT_TRUE(CPU_EQUAL(&before, &after));
  }
}

}  // namespace
}  // namespace bowline::node
