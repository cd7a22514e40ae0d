// SPDX-License-Identifier: BSD-3-Clause
// coll/selection/node_costs: the model knows all algorithms among which costs choose, and its choice follows the
// figures.
#include "coll/selection/node_costs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "coll/selection/default_rules.hpp"
#include "coll/selection/selection.hpp"

namespace bowline::coll {
namespace {

constexpr std::size_t kib = 1 << 10;
constexpr std::size_t mib = 1 << 20;

/// Cores that exchange cache lines fast, and a kernel that takes long to find pages.
constexpr NodeCosts fast_copies{.copy = 0.022F, .copy_far = 0.05F, .call = 700, .page = 290, .flag = 50};
/// The opposite.
constexpr NodeCosts fast_reads{.copy = 0.1F, .copy_far = 0.2F, .call = 500, .page = 150, .flag = 150};

Situation among(int ranks, std::size_t bytes, const NodeCosts& costs, bool oversubscribed = false) {
  return {.ranks = ranks,
          .bytes = bytes,
          .oversubscribed = oversubscribed,
          .one_node = true,
          .shared = true,
          .costs = &costs};
}
std::string chosen(Operation operation, int ranks, std::size_t bytes, const NodeCosts& costs) {
  return std::string(choose(operation, among(ranks, bytes, costs)).algorithm->name);
}

TEST(NodeCosts, TheModelKnowsAllRivals) {
  int rivals = 0;
  for (const DefaultRule& rule : default_rules()) {
    if (rule.rivals.front().empty()) continue;
    std::vector<std::string_view> names{rule.algorithm};
    std::ranges::copy_if(rule.rivals, std::back_inserter(names), [](std::string_view name) { return !name.empty(); });
    for (const std::string_view name : names) {
      SCOPED_TRACE(std::string(name_of(rule.operation)) + " " + std::string(name));
      ++rivals;
      const Algorithm& algorithm = *find_algorithm(rule.operation, name);
      EXPECT_TRUE(algorithm.shared) << "members take numbers before they know the costs";
      // A rule is only checked for the algorithm that it names first.
      EXPECT_TRUE(algorithm.ordered && !algorithm.power_of_two && !algorithm.by_placement);
      for (const int ranks : {2, 3, 8, 32, 64}) {
        double before = 0;
        for (std::size_t bytes = 1; bytes <= 64 * mib; bytes *= 4) {
          for (const bool oversubscribed : {false, true}) {
            const auto time = predicted_time(rule.operation, name, among(ranks, bytes, {}, oversubscribed), {});
            ASSERT_TRUE(time.has_value());
            EXPECT_GT(*time, 0);
          }
          const double time = *predicted_time(rule.operation, name, among(ranks, bytes, {}), {});
          EXPECT_GE(time, before) << "more data, less time";
          before = time;
        }
      }
    }
  }
  EXPECT_GT(rivals, 40);
}

TEST(NodeCosts, OfOtherAlgorithmsTheModelSaysNothing) {
  EXPECT_FALSE(predicted_time(Operation::bcast, "binomial", among(4, 100, {}), {}).has_value());
  EXPECT_FALSE(predicted_time(Operation::barrier, "flags", among(4, 0, {}), {}).has_value());
}

// Rivals combine operands in the same order; those that need another one are no rivals.
TEST(NodeCosts, CostsChooseAmongRivalsOnly) {
  for (const DefaultRule& rule : default_rules()) {
    const bool one = std::ranges::none_of(default_rules(), [&](const DefaultRule& other) {
      return other.operation == rule.operation && !other.rivals.front().empty();
    });
    if (one) continue;
    for (const int ranks : {2, 3, 8, 32}) {
      for (const std::size_t bytes : {64 * kib, 4 * mib}) {
        std::vector<std::string> names;
        for (const NodeCosts& costs : {fast_copies, fast_reads, NodeCosts{}})
          names.push_back(chosen(rule.operation, ranks, bytes, costs));
        const bool scans = rule.operation == Operation::scan || rule.operation == Operation::exscan;
        for (const std::string& name : names) EXPECT_FALSE(scans && name == "slots");
      }
    }
  }
}

TEST(NodeCosts, LongDataGoWhereTheyCostLeast) {
  for (const Operation operation :
       {Operation::bcast, Operation::gather, Operation::scatter, Operation::allgather, Operation::alltoall}) {
    SCOPED_TRACE(name_of(operation));
    EXPECT_EQ(chosen(operation, 2, mib, fast_copies), "slots");
    EXPECT_EQ(chosen(operation, 2, mib, fast_reads), "single_copy");
    EXPECT_EQ(chosen(operation, 2, 256, fast_copies), "slots");
    EXPECT_EQ(chosen(operation, 2, 256, fast_reads), "slots");
  }
  EXPECT_EQ(chosen(Operation::reduce, 2, 8, fast_copies), "slots");
  EXPECT_EQ(chosen(Operation::allreduce, 8, mib, fast_copies), "shares");
  EXPECT_EQ(chosen(Operation::allreduce, 8, 8, fast_copies), "slots");
  EXPECT_EQ(chosen(Operation::allreduce, 8, mib, fast_reads), "single_copy");
  EXPECT_EQ(chosen(Operation::scan, 4, mib, fast_copies), "slots_pipeline");
}

TEST(NodeCosts, ShortBlocksAreNotLent) {
  constexpr std::size_t never = std::numeric_limits<std::size_t>::max();
  for (const Operation operation :
       {Operation::bcast, Operation::gather, Operation::scatter, Operation::allgather, Operation::alltoall}) {
    SCOPED_TRACE(name_of(operation));
    const std::size_t from = lends_from(operation, 2, false, fast_reads);
    EXPECT_GE(from, 8 * kib);
    EXPECT_LE(from, 256 * kib);
    NodeCosts no_reads = fast_copies;
    no_reads.page = 1e6;
    EXPECT_EQ(lends_from(operation, 2, false, no_reads), never);
    NodeCosts faster = fast_reads;
    faster.page /= 4;
    faster.call /= 4;
    EXPECT_LE(lends_from(operation, 2, false, faster), from);
  }
}

TEST(NodeCosts, BlocksOfUnknownLengthCountAsLong) {
  EXPECT_EQ(chosen(Operation::alltoallv, 2, 0, fast_copies), "slots");
  EXPECT_EQ(chosen(Operation::allgatherv, 2, 0, fast_reads), "single_copy");
  EXPECT_EQ(chosen(Operation::gatherv, 2, 0, fast_reads), "single_copy");
}

// A round through slots costs a change of process on each core, and a long alltoall takes many.
TEST(NodeCosts, RanksThatShareCoresExchangeLongBlocksByMessages) {
  NodeCosts costs = fast_copies;
  costs.cores = 2;
  const auto serving = [&](std::size_t bytes, int ranks) {
    return std::string(choose(Operation::alltoall, among(ranks, bytes, costs, true)).algorithm->name);
  };
  EXPECT_EQ(serving(kib, 8), "slots");
  EXPECT_EQ(serving(mib, 8), "agreed");
}

}  // namespace
}  // namespace bowline::coll
