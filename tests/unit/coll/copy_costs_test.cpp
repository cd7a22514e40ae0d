// SPDX-License-Identifier: BSD-3-Clause
// coll/slots: how a member chooses between slots and single copies for blocks whose lengths others do not know.
#include "coll/slots/copy_costs.hpp"

#include <gtest/gtest.h>

namespace bowline::coll {
namespace {

using Copy = CopyCosts::Copy;

/// What the copies of a machine cost, in nanoseconds for each byte.
struct CostsOfCopies {
  float slot, single;
};

/// A member whose peers decide as it does. Returns how many of its blocks it has lent.
int exchange(CopyCosts& costs, std::size_t bytes, const CostsOfCopies& machine, int blocks) {
  const auto length = static_cast<float>(bytes);
  int lent = 0;
  for (int block = 0; block < blocks; ++block) {
    if (costs.lends(bytes)) {
      ++lent;
      costs.took(Copy::from_owner, bytes, machine.single * length);
    } else {
      costs.took(Copy::into_slot, bytes, machine.slot * length);
      costs.took(Copy::out_of_slot, bytes, machine.slot * length);
    }
  }
  return lent;
}

TEST(CopyCosts, TwoCopiesCountTogether) {
  CopyCosts fast_kernel, slow_kernel;
  exchange(fast_kernel, 65536, {.slot = 1, .single = 1.5F}, 100);
  EXPECT_GT(exchange(fast_kernel, 65536, {.slot = 1, .single = 1.5F}, 1000), 950);
  exchange(slow_kernel, 65536, {.slot = 1, .single = 2.5F}, 100);
  EXPECT_LT(exchange(slow_kernel, 65536, {.slot = 1, .single = 2.5F}, 1000), 50);
}

TEST(CopyCosts, EachPowerOfTwoIsDecidedForItself) {
  CopyCosts costs;
  exchange(costs, CopyCosts::shortest + 1, {.slot = 1, .single = 3}, 100);
  exchange(costs, CopyCosts::longest, {.slot = 1, .single = 1}, 100);
  EXPECT_LT(exchange(costs, 2 * CopyCosts::shortest, {.slot = 1, .single = 3}, 1000), 50);
  EXPECT_GT(exchange(costs, CopyCosts::longest / 2 + 1, {.slot = 1, .single = 1}, 1000), 950);
  EXPECT_FALSE(CopyCosts::covers(CopyCosts::shortest));
  EXPECT_FALSE(CopyCosts::covers(CopyCosts::longest + 1));
}

TEST(CopyCosts, FollowTheMachine) {
  CopyCosts costs;
  exchange(costs, 20000, {.slot = 1, .single = 3}, 1000);
  exchange(costs, 20000, {.slot = 1, .single = 1}, 1 << 15);
  EXPECT_GT(exchange(costs, 20000, {.slot = 1, .single = 1}, 1000), 950);
}

TEST(CopyCosts, AMemberThatReadsNothingSeldomLends) {
  CopyCosts costs;
  int lent = 0;
  for (int block = 0; block < 1000; ++block) {
    if (costs.lends(10000)) {
      ++lent;
    } else {
      costs.took(Copy::into_slot, 10000, 10000);
    }
  }
  EXPECT_LT(lent, 50);
}

TEST(CopyCosts, TimeTheirCopies) {
  CopyCosts costs;
  int copies = 0;
  for (const Copy kind : {Copy::into_slot, Copy::out_of_slot, Copy::from_owner})
    costs.time(kind, 5000, [&] { ++copies; });
  EXPECT_EQ(copies, 3);
}

}  // namespace
}  // namespace bowline::coll
