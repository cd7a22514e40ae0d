// SPDX-License-Identifier: BSD-3-Clause
// The prefix reductions: every member has the result of those up to it, in their order.
#include "coll/algorithms/scan/scan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "reference.hpp"
#include "registered.hpp"
#include "support/untouched.hpp"

namespace bowline::coll {
namespace {

using test::untouched;

/// Everybody's result is the combination of the members 0 ... rank - 1, with its own operand or without.
void scans(const Case& now, const ReferenceOperator& by, bool inclusive) {
  SCOPED_TRACE(by.name);
  std::vector<Bytes> own, result;
  for (int member = 0; member < now.size; ++member) {
    own.push_back(by.operand(member, now.count));
    result.push_back(now.in_place ? own.back() : Bytes(own.back().size(), untouched));
  }
  std::vector<Arguments> arguments;
  for (std::size_t member = 0; member < own.size(); ++member) {
    Arguments mine{.input = now.in_place ? result[member] : own[member], .result = result[member]};
    mine.reduction = &by.reduction;
    mine.segment = now.segment_elements * by.reduction.element();
    arguments.push_back(mine);
  }
  run_case(now, arguments);
  for (int member = 0; member < now.size; ++member) {
    const Bytes& mine = own[static_cast<std::size_t>(member)];
    ASSERT_EQ(mine, by.operand(member, now.count)) << "the input of member " << member << " has changed";
    const int last = inclusive ? member + 1 : member;
    if (last > 0) {
      ASSERT_EQ(result[static_cast<std::size_t>(member)], by.combined(0, last, now.count)) << "member " << member;
    } else {
      ASSERT_EQ(result[0], now.in_place ? mine : Bytes(mine.size(), untouched)) << "nothing lies below member 0";
    }
  }
}

class Scan : public testing::TestWithParam<Algorithm> {
 protected:
  ReferenceOperators operators;
};
class ScanOverEngines : public Scan {};
class Exscan : public Scan {};
class ExscanOverEngines : public Exscan {};

TEST_P(Scan, CombinesThoseUpToEachMemberInTheirOrder) {
  for (const ReferenceOperator* by : operators.serving(GetParam())) {
    for_all_cases(GetParam(), {.counts = counts_for(GetParam(), 150), .rooted = false},
                  [&](const Case& now) { scans(now, *by, true); });
  }
}
TEST_P(Exscan, CombinesThoseBelowEachMemberInTheirOrder) {
  for (const ReferenceOperator* by : operators.serving(GetParam())) {
    for_all_cases(GetParam(), {.counts = counts_for(GetParam(), 150), .rooted = false},
                  [&](const Case& now) { scans(now, *by, false); });
  }
}

TEST_P(ScanOverEngines, Runs) {
  const ReferenceOperator& by = *operators.serving(GetParam()).back();
  for_all_cases(GetParam(), cases_over_engines(false), [&](const Case& now) { scans(now, by, true); });
}

INSTANTIATE_TEST_SUITE_P(Every, Scan, testing::ValuesIn(algorithms(Operation::scan)), algorithm_name);
INSTANTIATE_TEST_SUITE_P(Every, ScanOverEngines, testing::ValuesIn(algorithms_over_engines(Operation::scan)),
                         algorithm_name);
TEST_P(ExscanOverEngines, Runs) {
  const ReferenceOperator& by = *operators.serving(GetParam()).back();
  for_all_cases(GetParam(), cases_over_engines(false), [&](const Case& now) { scans(now, by, false); });
}

INSTANTIATE_TEST_SUITE_P(Every, Exscan, testing::ValuesIn(algorithms(Operation::exscan)), algorithm_name);
INSTANTIATE_TEST_SUITE_P(Every, ExscanOverEngines, testing::ValuesIn(algorithms_over_engines(Operation::exscan)),
                         algorithm_name);

TEST(ScanRounds, RecursiveDoublingTakesTheLogarithm) {
  const ReferenceOperators operators;
  for (const auto scan : {scan_recursive_doubling, exscan_recursive_doubling}) {
    for (const int size : team_sizes()) {
      std::vector<Bytes> data(static_cast<std::size_t>(size), operators.sum().operand(0, 1));
      std::vector<Arguments> arguments;
      for (Bytes& mine : data) {
        arguments.push_back({.input = mine, .result = mine, .reduction = &operators.sum().reduction});
      }
      Model model(size, 1);
      model.run([&](Channel& channel) { return scan(channel, arguments[static_cast<std::size_t>(channel.rank())]); });
      EXPECT_EQ(std::ranges::max(model.sends()), std::bit_width(static_cast<unsigned>(size - 1)));
    }
  }
}

}  // namespace
}  // namespace bowline::coll
