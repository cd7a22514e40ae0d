// SPDX-License-Identifier: BSD-3-Clause
// coll/hierarchy and the algorithms composed over it: whatever the placement, stages bring everyone together once, and
// a composed algorithm gives what a flat one gives.
#include "coll/machine/hierarchy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "composed.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

struct NamedPlacement {
  std::string name;
  std::vector<int> nodes;
};

std::vector<NamedPlacement> placements(int size, std::uint32_t seed) {
  std::vector<NamedPlacement> made = {{"blocks of three", {}}, {"dealt out", {}}, {"anywhere", {}}, {"one node", {}}};
  std::mt19937 random(seed);
  for (int rank = 0; rank < size; ++rank) {
    made[0].nodes.push_back(rank / 3);
    made[1].nodes.push_back(rank % 5);
    made[2].nodes.push_back(static_cast<int>(random() % 6) * 7);
    made[3].nodes.push_back(4);
  }
  return made;
}

TEST(Hierarchy, EveryStageBringsTogetherOneMemberOfEachUnitBelow) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : team_sizes()) {
      for (const NamedPlacement& placement : placements(size, seed)) {
        SCOPED_TRACE(placement.name + ", " + std::to_string(size) + " members, seed " + std::to_string(seed));
        const Hierarchy hierarchy(TestMachine(placement.nodes), size, same);
        for (int root = 0; root < size; ++root) {
          std::set<int> standing;
          for (int member = 0; member < size; ++member) standing.insert(member);
          for (int number = 0; number < hierarchy.stages(); ++number) {
            std::set<int> next;
            for (int member = 0; member < size; ++member) {
              const Stage stage = hierarchy.stage(number, member, root);
              ASSERT_EQ(stage.taken_part_in(), standing.contains(member));
              if (!stage.taken_part_in()) continue;
              ASSERT_EQ(stage.members[stage.rank], member);
              for (int i = 0; i < stage.members.count; ++i) {
                ASSERT_TRUE(standing.contains(stage.members[i]));
                const Stage theirs = hierarchy.stage(number, stage.members[i], root);
                ASSERT_EQ(theirs.rank, i);
                ASSERT_EQ(theirs.top, stage.top);
              }
              next.insert(stage.members[stage.top]);
            }
            standing = next;
          }
          ASSERT_EQ(standing, std::set<int>{root});
        }
      }
    }
  }
}

TEST(Hierarchy, MembersOfAStageShareItsLevel) {
  const int size = 17;
  const NamedPlacement anywhere = placements(size, 1)[2];
  const TestMachine machine(anywhere.nodes);
  const Hierarchy hierarchy(machine, size, same);
  ASSERT_EQ(hierarchy.level(0), Level::node);
  for (int member = 0; member < size; ++member) {
    const Stage stage = hierarchy.stage(0, member, 0);
    const int node = machine.unit(Level::node, member);
    ASSERT_EQ(stage.members.count, std::ranges::count(anywhere.nodes, node));
    for (int i = 0; i < stage.members.count; ++i) ASSERT_EQ(machine.unit(Level::node, stage.members[i]), node);
  }
}

TEST(Hierarchy, RegularPlacementTakesNoMemory) {
  const auto memory = [](int size, auto node_of) {
    std::vector<int> nodes;
    for (int rank = 0; rank < size; ++rank) nodes.push_back(node_of(rank));
    return Hierarchy(TestMachine(nodes), size, same).memory();
  };
  EXPECT_EQ(memory(30'000, [](int rank) { return rank / 16; }), 0U);
  EXPECT_EQ(memory(30'000, [](int rank) { return rank % 100; }), 0U);
  EXPECT_GT(memory(30, [](int rank) { return rank * rank % 7; }), 0U);
}

TEST(Hierarchy, LevelsThatDivideNothingAreLeftOut) {
  const Hierarchy alone(TestMachine({3}), 1, same);
  EXPECT_EQ(alone.stages(), 1);
  const Hierarchy one_node(TestMachine({3, 3, 3}), 3, same);
  EXPECT_EQ(one_node.stages(), 1);
  EXPECT_EQ(one_node.level(0), Level::node);
  const Hierarchy one_per_node(TestMachine({0, 1, 2, 3}), 4, same);
  EXPECT_EQ(one_per_node.stages(), 2);
  EXPECT_EQ(one_per_node.level(0), Level::leaf_switch);
  EXPECT_EQ(one_per_node.level(1), Level::system);
}

class Hierarchical : public testing::TestWithParam<Operation> {};

TEST_P(Hierarchical, GivesWhatTheFirstAlgorithmGives) {
  const Operation operation = GetParam();
  const Algorithm& flat = algorithms(operation).front();
  const Algorithm& composed = *find_algorithm(operation, "hierarchical");
  const ReferenceOperators operators;
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : {1, 2, 3, 6, 7, 9, 12, 16, 17, 30}) {
      for (const NamedPlacement& placement : placements(size, seed)) {
        const Hierarchy hierarchy(TestMachine(placement.nodes), size, same);
        for (const int root : std::set{0, size / 2, size - 1}) {
          for (const ReferenceOperator* op : {&operators.sum(), &operators.matrix()}) {
            SCOPED_TRACE(placement.name + ", " + std::to_string(size) + " members, root " + std::to_string(root) +
                         ", seed " + std::to_string(seed) + ", " + op->name);
            Buffers expected(operation, size, root, 5, *op);
            Buffers got(operation, size, root, 5, *op);
            Model reference(size, seed, flat.shared);
            reference.run([&](Channel& channel) {
              return flat.run(channel, expected.arguments[static_cast<std::size_t>(channel.rank())]);
            });
            Model model(size, seed, false);
            model.set_hierarchy(hierarchy);
            model.run([&](Channel& channel) {
              return composed.run(channel, got.arguments[static_cast<std::size_t>(channel.rank())]);
            });
            ASSERT_EQ(got.output, expected.output);
            ASSERT_EQ(got.input, expected.input);
          }
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Operations, Hierarchical,
                         testing::Values(Operation::bcast, Operation::reduce, Operation::allreduce,
                                         Operation::allgather, Operation::gather, Operation::scatter),
                         operation_name);

TEST(HierarchicalBarrier, NobodyLeavesBeforeTheLastHasCome) {
  const Algorithm& barrier = *find_algorithm(Operation::barrier, "hierarchical");
  const Arguments arguments;
  for (const int size : team_sizes()) {
    for (const NamedPlacement& placement : placements(size, 3)) {
      const Hierarchy hierarchy(TestMachine(placement.nodes), size, same);
      for (int late = 0; late < size; ++late) {
        SCOPED_TRACE(placement.name + ", " + std::to_string(size) + " members, late " + std::to_string(late));
        Model model(size, 1);
        model.set_hierarchy(hierarchy);
        const auto finished =
            model.run_with_latecomer([&](Channel& channel) { return barrier.run(channel, arguments); }, late);
        ASSERT_EQ(std::ranges::count(finished, true), 0);
      }
    }
  }
}

TEST(Composition, TakesTheAlgorithmThatIsFixedForALevel) {
  // A linear gather within nodes and a binomial one between them: everyone on node 0 sends straight to member 0.
  const int size = 16;
  std::vector<int> nodes;
  for (int rank = 0; rank < size; ++rank) nodes.push_back(rank / 8);
  const auto sends_to_leader = [&](std::string_view within) {
    Hierarchy hierarchy(TestMachine(nodes), size, same);
    hierarchy.fix({Operation::gather, Level::node, find_algorithm(Operation::gather, within), 0});
    const ReferenceOperators operators;
    Buffers buffers(Operation::gather, size, 0, 4, operators.sum());
    Model model(size, 1);
    model.set_hierarchy(hierarchy);
    model.run([&](Channel& channel) {
      return find_algorithm(Operation::gather, "hierarchical")
          ->run(channel, buffers.arguments[static_cast<std::size_t>(channel.rank())]);
    });
    return model.receives()[8];
  };
  EXPECT_EQ(sends_to_leader("linear"), 7);
  EXPECT_EQ(sends_to_leader("binomial"), 3);
}

}  // namespace
}  // namespace bowline::coll
