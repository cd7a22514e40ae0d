// SPDX-License-Identifier: BSD-3-Clause
// mpiio/collective: who accesses which part of a file.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "mpiio/collective/access_plan.hpp"
#include "mpiio/file/units.hpp"

namespace bowline::mpiio {
namespace {

Summary span_of(Offset begin, Offset end, std::int64_t granule = 1) {
  return {.failed = 0,
          .begin = begin,
          .end = end,
          .individual = 0,
          .spans = 0,
          .pieces = 0,
          .looked = 0,
          .granule = granule};
}

/// What must hold of every plan: its domains cover the part of the file once, and each aggregator has one role.
void check(const Plan& plan, int processes, Extent whole) {
  Offset reached = whole.begin - whole.begin % Plan::page;
  for (int k = 0; k < plan.aggregators(); ++k) {
    const Extent domain = plan.domain(k);
    EXPECT_EQ(domain.begin, reached) << k;
    EXPECT_TRUE(domain.begin % Plan::page == 0 || domain.empty());
    reached = domain.end;
  }
  EXPECT_EQ(reached, whole.end);
  std::set<int> members, numbers;
  for (int unit = 0; unit < plan.units().count(); ++unit) {
    for (int i = 0; i < plan.each(); ++i) {
      const int member = plan.member(unit, i);
      EXPECT_EQ(plan.units().unit(member), unit);
      EXPECT_EQ(plan.role(member), i);
      EXPECT_TRUE(members.insert(member).second);
      if (plan.active(unit)) {
        EXPECT_TRUE(numbers.insert(plan.number(unit, i)).second);
      }
    }
  }
  EXPECT_EQ(static_cast<int>(numbers.size()), plan.aggregators());
  if (!numbers.empty()) {
    EXPECT_EQ(*numbers.rbegin(), plan.aggregators() - 1);
  }
  for (int member = 0; member < processes; ++member)
    EXPECT_EQ(plan.role(member) >= 0, members.contains(member)) << member;
}

TEST(Plan, HoldsForManyShapes) {
  for (const int processes : {1, 2, 3, 5, 8, 24}) {
    for (const int each : {1, 2, 3, 8}) {
      for (const int nodes : {0, 1, 2, 3, 100}) {
        for (const Offset length : {Offset{1}, Offset{4095}, Offset{300'000}, Offset{5} << 30}) {
          for (const bool remote : {false, true}) {
            SCOPED_TRACE(std::to_string(processes) + " in " + std::to_string(each) + ", cb_nodes " +
                         std::to_string(nodes) + ", " + std::to_string(length));
            const FileSystem system{.remote = remote, .block = remote ? std::size_t{1} << 20 : 4096};
            Hints hints = Hints::defaults(system);
            hints.cb_nodes = nodes;
            const Units units = each == 1 ? Units(processes) : Units::in_groups(processes, each);
            const Plan plan(units, hints, system, span_of(12345, 12345 + length));
            check(plan, processes, {12345, 12345 + length});
          }
        }
      }
    }
  }
}

TEST(Plan, KeepsItsMemoryWithinTheHint) {
  for (const std::size_t buffer :
       {std::size_t{4096}, std::size_t{65536}, std::size_t{1} << 20, std::size_t{16} << 20}) {
    for (const int processes : {1, 4}) {
      const FileSystem system{.remote = true};
      Hints hints = Hints::defaults(system);
      hints.cb_buffer_size = buffer;
      const Units one_node = Units::in_groups(processes, processes);
      const Plan local(one_node, hints, system, span_of(0, Offset{1} << 40));
      // Two windows, each with a bit for every byte.
      if (buffer > 65536) {
        EXPECT_LE(2 * (local.window() + local.window() / 8), buffer);
      }
      const Units apart(processes);
      const Plan wide(apart, hints, system, span_of(0, Offset{1} << 40));
      if (buffer > 65536 && processes > 1) {
        EXPECT_LE(5 * (wide.window() + wide.window() / 8), buffer);
      }
    }
  }
}

TEST(Plan, AlignsLongDomainsToStripes) {
  const FileSystem system{.remote = true, .block = 4096};
  Hints hints = Hints::defaults(system);
  hints.striping_unit = 1 << 20;
  const Units units(4);
  const Plan plan(units, hints, system, span_of(0, Offset{10'000'000}));
  for (int k = 0; k < plan.aggregators(); ++k) {
    if (!plan.domain(k).empty()) {
      EXPECT_EQ(plan.domain(k).begin % (1 << 20), 0);
    }
  }
}

TEST(Plan, HonoursTheNumberOfAggregators) {
  const FileSystem system{.remote = true};
  Hints hints = Hints::defaults(system);
  hints.cb_nodes = 2;
  const Units units(8);
  EXPECT_EQ(Plan(units, hints, system, span_of(0, Offset{1} << 30)).aggregators(), 2);
  hints.cb_nodes = 1;
  EXPECT_EQ(Plan(units, hints, system, span_of(0, Offset{1} << 30)).aggregators(), 1);
}

TEST(Plan, UsesFewProcessesForLittleData) {
  const FileSystem system;
  const Units units = Units::in_groups(8, 8);
  const Plan plan(units, Hints::defaults(system), system, span_of(0, 1000));
  EXPECT_EQ(plan.aggregators(), 1);
  EXPECT_TRUE(plan.single_round());
}

TEST(Plan, HasGranulesThatPagesContainWhole) {
  const FileSystem system;
  const Units units(1);
  const auto granule = [&](std::int64_t divisor) {
    return Plan(units, Hints::defaults(system), system, span_of(0, 100'000, divisor)).granule();
  };
  EXPECT_EQ(granule(0), 1U);
  EXPECT_EQ(granule(7), 1U);
  EXPECT_EQ(granule(24), 8U);
  EXPECT_EQ(granule(3 << 20), 4096U);
}

TEST(Units, AreEqualIfTheSameProcessesBelongTogether) {
  // As many units each time.
  EXPECT_EQ(Units::in_groups(5, 3), Units::in_groups(5, 3));
  EXPECT_NE(Units::in_groups(5, 3), Units::in_groups(5, 4));
  EXPECT_NE(Units::in_groups(6, 2), Units::in_groups(5, 2));
  EXPECT_EQ(Units(4), Units(4));
  EXPECT_NE(Units(4), Units::in_groups(4, 4));
}

}  // namespace
}  // namespace bowline::mpiio
