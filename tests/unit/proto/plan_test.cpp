// SPDX-License-Identifier: BSD-3-Clause
// proto/plan: which protocol serves which length.
#include "proto/protocols/plan.hpp"

#include <gtest/gtest.h>

#include <string>

#include "proto/protocols/protocol.hpp"
#include "support/setting.hpp"

namespace bowline::proto {
namespace {

constexpr transport::Limits limits{.max_body = 32 << 10, .max_prefix = 64, .inline_body = 40};

TEST(Plan, ShortMessagesTravelWithTheirHeaderOrThroughBuffers) {
  const test::Setting limit("eager_limit", "1000");
  EXPECT_EQ(eager_inline.serves(limits).up_to, 40U);
  EXPECT_EQ(eager_copy.serves(limits).from, 41U);
  EXPECT_EQ(eager_copy.serves(limits).up_to, 1000U);
  EXPECT_EQ(make_plan(limits).eager_limit, 1000U);
}

TEST(Plan, NothingIsSentUnaskedBeyondTheLimit) {
  for (const std::size_t bytes : {0U, 10U, 40U}) {
    const test::Setting limit("eager_limit", std::to_string(bytes));
    EXPECT_EQ(eager_inline.serves(limits).up_to, bytes);
    EXPECT_TRUE(eager_copy.serves(limits).empty());
    EXPECT_EQ(make_plan(limits).eager_limit, bytes);
  }
}

TEST(Plan, TheLastChoiceServesEveryLength) {
  transport::Limits all = limits;
  all.get_from = 20'000;
  all.put_from = 60'000;
  all.single_copy_from = 10'000;
  const Plan plan = make_plan(all);
  ASSERT_EQ(plan.in_order().size(), 4U);
  EXPECT_TRUE(plan.in_order().back().serves(1));
  EXPECT_EQ(plan.in_order().back().protocol, &rendezvous_pipeline);
  EXPECT_FALSE(plan.in_order().front().serves(19'999));
  EXPECT_TRUE(plan.in_order().front().serves(20'000));
}

}  // namespace
}  // namespace bowline::proto
