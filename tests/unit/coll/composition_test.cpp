// SPDX-License-Identifier: BSD-3-Clause
// coll/composition over memory that the members of a node share: rows of calls of every composed operation, one for
// each root, with every algorithm that works in such memory within nodes and any other one between them. Nobody waits
// for a call's end elsewhere, so members run ahead and slots are used again while others may still be in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "coll/selection/composed.hpp"
#include "composed.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

/// The operations that a composed one consists of on a node: itself, where all run on one.
std::vector<Operation> parts_on_node(Operation operation, bool one_node) {
  if (one_node) return {operation};
  switch (operation) {
    case Operation::barrier:
    case Operation::allgather:
      return {Operation::gather, Operation::bcast};
    case Operation::allreduce:
      return {Operation::reduce, Operation::bcast};
    default:
      return {operation};
  }
}

/// Which algorithm serves each part on a node; nullptr: whatever is chosen.
using Within = std::vector<const Algorithm*>;

/// All combinations of those that work in shared memory.
std::vector<Within> all_within(const std::vector<Operation>& parts) {
  std::vector<Within> made = {{}};
  for (const Operation part : parts) {
    std::vector<const Algorithm*> candidates = {nullptr};
    for (const Algorithm& each : algorithms(part)) {
      if (each.shared) candidates.push_back(&each);
    }
    std::vector<Within> longer;
    for (const Within& begin : made) {
      for (const Algorithm* const candidate : candidates) {
        longer.push_back(begin);
        longer.back().push_back(candidate);
      }
    }
    made = std::move(longer);
  }
  return made;
}

/// Those that may serve an operation among so many nodes.
std::vector<const Algorithm*> all_between(Operation operation, int nodes, const ReferenceOperator& op) {
  std::vector<const Algorithm*> serving;
  for (const Algorithm& each : algorithms(operation)) {
    const bool in_order = !reduces(operation) || each.ordered || op.reduction.commutative();
    const bool fits = !each.power_of_two || std::has_single_bit(static_cast<unsigned>(nodes));
    if (!each.shared && !each.composed && in_order && fits) serving.push_back(&each);
  }
  return serving;
}

struct Placement {
  int per_node;
  bool dealt_out;  ///< rank after rank to the next node; otherwise node after node is filled
  std::vector<int> nodes;

  int count() const { return static_cast<int>(std::set<int>(nodes.begin(), nodes.end()).size()); }
};

std::vector<Placement> placements(int size) {
  std::vector<Placement> made;
  for (const int per_node : {2, 3, 4}) {
    if (per_node > size) continue;
    for (const bool dealt_out : {false, true}) {
      Placement placement{per_node, dealt_out, {}};
      const int nodes = (size + per_node - 1) / per_node;
      for (int rank = 0; rank < size; ++rank) placement.nodes.push_back(dealt_out ? rank % nodes : rank / per_node);
      made.push_back(placement);
    }
  }
  return made;
}

/// One call for each root.
using Row = std::vector<Buffers>;

Row row_of(Operation operation, int size, std::size_t count, const ReferenceOperator& op) {
  Row row;
  for (int root = 0; root < size; ++root) row.emplace_back(operation, size, root, count, op);
  return row;
}

/// How many calls each member has begun.
using Begun = std::vector<std::size_t>;

/// A member carries out the row as it carries out rows of blocking calls. Nobody may leave a call that synchronizes
/// before all have come to it.
Task carry_out(Channel& channel, const Algorithm& composed, const Row& row, Begun& begun, bool synchronizes) {
  const auto rank = static_cast<std::size_t>(channel.rank());
  for (const Buffers& call : row) {
    ++begun[rank];
    if (channel.takes_node_sequences()) {
      channel.take_node_sequences();
      channel.open_node_slots();
    }
    Task running = composed.run(channel, call.arguments[rank]);
    co_await running;
    if (synchronizes) {
      EXPECT_GE(std::ranges::min(begun), begun[rank]) << "member " << rank << " did not wait";
    }
  }
}

/// Whether the operation can be divided so that within a node nothing needs a message.
bool all_over_slots(Operation operation, const Hierarchy& hierarchy, const ReferenceOperator& op) {
  switch (operation) {
    case Operation::reduce:
    case Operation::allreduce:
      return op.reduction.commutative() || hierarchy.contiguous();
    case Operation::gather:
    case Operation::scatter:
    case Operation::allgather:
      return hierarchy.uniform_stages() > 0;
    default:
      return true;
  }
}

class OverSlots : public testing::TestWithParam<Operation> {
 protected:
  void run_row(const Placement& placement, const Within& within, std::size_t count, const ReferenceOperator& op,
               const Row& expected, std::uint32_t seed);

  const Operation operation_ = GetParam();
  const Algorithm& composed_ = *find_algorithm(operation_, "hierarchical");
  std::mt19937 random_;
  std::set<const Algorithm*> between_nodes_;  ///< that have been run
};

void OverSlots::run_row(const Placement& placement, const Within& within, std::size_t count,
                        const ReferenceOperator& op, const Row& expected, std::uint32_t seed) {
  const auto size = static_cast<int>(placement.nodes.size());
  Hierarchy hierarchy(TestMachine(placement.nodes, false), size, same);
  std::string description = std::to_string(size) + " members, " + std::to_string(placement.per_node) + " per node" +
                            (placement.dealt_out ? " dealt out, " : ", ") + std::to_string(count) + " elements, " +
                            op.name + ", seed " + std::to_string(seed);
  const std::vector<Operation> parts = parts_on_node(operation_, placement.count() == 1);
  for (std::size_t part = 0; part < parts.size(); ++part) {
    if (within[part] == nullptr) continue;
    hierarchy.fix({parts[part], Level::node, within[part], random_() % 2 * 64});
    description += ", " + std::string(name_of(parts[part])) + " " + std::string(within[part]->name);
  }
  if (placement.count() > 1) {
    const std::vector<const Algorithm*> serving = all_between(operation_, placement.count(), op);
    const Algorithm* const between = serving[random_() % serving.size()];
    hierarchy.fix({operation_, Level::system, between, between->segmented ? random_() % 2 * 64 : 0});
    description += ", between nodes " + std::string(between->name);
    between_nodes_.insert(between);
  }
  SCOPED_TRACE(description);
  const Row row = row_of(operation_, size, count, op);
  Model model(size, seed, false);
  model.set_hierarchy(hierarchy);
  model.share_on_nodes(placement.nodes, random_() % 2 == 0);
  Begun begun(placement.nodes.size());
  model.run(
      [&](Channel& channel) { return carry_out(channel, composed_, row, begun, operation_ == Operation::barrier); });
  for (std::size_t root = 0; root < row.size(); ++root) {
    ASSERT_EQ(row[root].output, expected[root].output) << "root " << root;
    ASSERT_EQ(row[root].input, expected[root].input) << "root " << root;
  }
  if (all_over_slots(operation_, hierarchy, op)) {
    ASSERT_EQ(model.sends_within_nodes(), 0);
  }
}

/// Whether each algorithm keeps the order of operands if the operator needs it.
bool serves(const Within& within, const ReferenceOperator& op) {
  return op.reduction.commutative() || std::ranges::all_of(within, [](const Algorithm* algorithm) {
           return algorithm == nullptr || algorithm->ordered;
         });
}

TEST_P(OverSlots, RowsOfCallsGiveWhatTheFirstAlgorithmGives) {
  const Algorithm& flat = algorithms(operation_).front();
  const ReferenceOperators operators;
  for (const std::uint32_t seed : test::seeds()) {
    random_.seed(seed);
    for (const int size : {2, 4, 8, 9}) {
      // Of inline data, of one round, and of several.
      for (const std::size_t count : {0U, 1U, 7U, 100U}) {
        for (const ReferenceOperator* const op : {&operators.sum(), &operators.matrix()}) {
          if (!reduces(operation_) && op != &operators.sum()) continue;
          const Row expected = row_of(operation_, size, count, *op);
          for (const Buffers& call : expected) {
            Model reference(size, seed, flat.shared);
            reference.run([&](Channel& channel) {
              return flat.run(channel, call.arguments[static_cast<std::size_t>(channel.rank())]);
            });
          }
          for (const Placement& placement : placements(size)) {
            for (const Within& within : all_within(parts_on_node(operation_, placement.count() == 1))) {
              if (!serves(within, *op)) continue;
              run_row(placement, within, count, *op, expected, seed);
              if (HasFailure()) return;
            }
          }
        }
      }
    }
  }
  for (const Algorithm* const each : all_between(operation_, 4, operators.sum()))
    EXPECT_TRUE(between_nodes_.contains(each)) << each->name << " was never run between nodes";
}

INSTANTIATE_TEST_SUITE_P(Operations, OverSlots,
                         testing::Values(Operation::barrier, Operation::bcast, Operation::reduce, Operation::allreduce,
                                         Operation::allgather, Operation::gather, Operation::scatter),
                         operation_name);

}  // namespace
}  // namespace bowline::coll
