// SPDX-License-Identifier: BSD-3-Clause
#include "rma/target.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "rma/paths/path_of_target.hpp"
#include "rma/window_hints.hpp"
#include "support/seed.hpp"

namespace bowline::rma {
namespace {

TEST(TargetTable, FindsWhatWasAdded) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(testing::Message() << "TEST_SEED=" << seed);
    std::mt19937 random(seed);
    TargetTable table;
    EXPECT_EQ(table.find(0), nullptr);
    std::vector<Target*> added;
    std::set<int> ranks;
    while (ranks.size() < 500) {
      // Near each other, and anywhere.
      const int rank = random() % 2 == 0 ? static_cast<int>(random() % 1000) : static_cast<int>(random() >> 1);
      if (!ranks.insert(rank).second) continue;
      EXPECT_EQ(table.find(rank), nullptr);
      added.push_back(&table.add(rank));
      EXPECT_EQ(added.back()->rank, rank);
    }
    for (Target* const each : added) EXPECT_EQ(table.find(each->rank), each);
    EXPECT_EQ(table.size(), 500U);
  }
}

TEST(PathChoice, PrefersWhatNeedsTheTargetLeast) {
  using enum PathKind;
  const auto choice = [](const Reachability& target) {
    const PathChoice made = choose_path(target);
    return std::pair(made.data, made.accumulates);
  };
  using Pair = std::pair<PathKind, PathKind>;
  EXPECT_EQ(choice({.own = true}), Pair(mapped, mapped));
  EXPECT_EQ(choice({.mapped = true, .single_copy = true}), Pair(mapped, mapped));
  EXPECT_EQ(choice({.single_copy = true}), Pair(single_copy, single_copy));
  EXPECT_EQ(choice({}), Pair(messages, messages));
  EXPECT_EQ(choice({.network = transport::RemoteAccess::native}), Pair(adapter, messages));
  EXPECT_EQ(choice({.network = transport::RemoteAccess::emulated}), Pair(messages, messages));
  EXPECT_EQ(choice({.dynamic = true, .network = transport::RemoteAccess::native}), Pair(messages, messages));
}

TEST(Hints, TakesWhatIsValid) {
  Info info;
  info.set("no_locks", "true");
  info.set("same_size", "yes");
  info.set("accumulate_ordering", "war,raw");
  info.set("accumulate_ops", "any");
  info.set("mpi_accumulate_granularity", "16");
  info.set("mpi_minimum_memory_alignment", "4096");
  Hints hints;
  hints.read(info, false);
  EXPECT_TRUE(hints.no_locks);
  EXPECT_FALSE(hints.same_size);
  EXPECT_EQ(hints.ordering, "war,raw");
  EXPECT_EQ(hints.operations, "same_op_no_op");
  EXPECT_EQ(hints.granularity, 16U);
  EXPECT_EQ(hints.alignment, 4096U);
  info.set("accumulate_ordering", "raw,none");
  info.set("mpi_minimum_memory_alignment", "100");
  info.set("mpi_accumulate_granularity", "8x");
  hints.read(info, false);
  EXPECT_EQ(hints.ordering, "war,raw");
  EXPECT_EQ(hints.granularity, 16U);
  EXPECT_EQ(hints.alignment, 4096U);
  info.set("accumulate_ordering", "none");
  info.set("mpi_accumulate_granularity", "1");
  hints.read(info, true);
  EXPECT_FALSE(hints.ordered);
  EXPECT_EQ(hints.granularity, 16U) << "fixed when the window is made";
}

}  // namespace
}  // namespace bowline::rma
