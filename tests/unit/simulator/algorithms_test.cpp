// SPDX-License-Identifier: BSD-3-Clause
// Every algorithm runs to its end on simulated machines of odd shapes, and composed ones cross the boundaries of nodes
// and switches as seldom as possible.
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "patterns.hpp"

namespace bowline::sim {
namespace {

using coll::Operation;

int same(int member) {
  return member;
}

struct Shape {
  int nodes;
  int ranks_per_node;
  Placement placement;
  int cores;
};

constexpr Shape shapes[] = {{1, 1, Placement::block, 0},  {1, 7, Placement::block, 2},  {5, 3, Placement::cyclic, 0},
                            {13, 3, Placement::block, 0}, {9, 4, Placement::cyclic, 3}, {16, 2, Placement::block, 0}};

class EveryAlgorithm : public testing::TestWithParam<int> {};

TEST_P(EveryAlgorithm, ComesToItsEnd) {
  const auto operation = static_cast<Operation>(GetParam());
  ASSERT_FALSE(coll::algorithms(operation).empty());
  for (const Shape& shape : shapes) {
    Parameters machine = default_parameters();
    machine.nodes_per_switch = 3;
    machine.switches_per_group = 2;
    machine.cores_per_node = shape.cores;
    const Cluster cluster(machine, shape.nodes, shape.ranks_per_node, shape.placement);
    const coll::Hierarchy hierarchy(cluster, cluster.ranks(), same);
    for (const coll::Algorithm& algorithm : coll::algorithms(operation)) {
      if (algorithm.shared) continue;  // no messages to simulate
      if (algorithm.power_of_two && !std::has_single_bit(static_cast<unsigned>(cluster.ranks()))) continue;
      for (const std::size_t bytes : {0, 1, 8, 1000, 100'000}) {
        for (const bool ordered : {false, true}) {
          if (ordered && !algorithm.ordered) continue;
          for (const int root : {0, cluster.ranks() - 1}) {
            SCOPED_TRACE(std::string(algorithm.name) + ", " + std::to_string(shape.nodes) + " x " +
                         std::to_string(shape.ranks_per_node) + " ranks, " + std::to_string(bytes) + " bytes, root " +
                         std::to_string(root));
            const Call call{.operation = operation, .bytes = bytes, .root = root, .ordered = ordered};
            const std::size_t segment = algorithm.segmented ? 4096 : 0;
            const Report report = simulate(cluster, call, algorithm, segment, &hierarchy);
            if (cluster.ranks() > 1 && bytes > 0) {
              ASSERT_GT(report.end, 0U);
            }
          }
        }
      }
    }
  }
}

std::string operation_name(const testing::TestParamInfo<int>& info) {
  return std::string(coll::name_of(static_cast<Operation>(info.param)));
}
INSTANTIATE_TEST_SUITE_P(Operations, EveryAlgorithm, testing::Range(0, coll::operations), operation_name);

/// 8 switches of 4 nodes of 5 ranks.
struct Crossings : testing::Test {
  Crossings() {
    machine.nodes_per_switch = 4;
    machine.switches_per_group = 100;
    machine.uplinks_per_switch = 1;
  }

  /// Messages between nodes, and between switches.
  std::pair<std::uint64_t, std::uint64_t> messages(const Call& call, Placement placement) {
    const Cluster cluster(machine, 32, 5, placement);
    const coll::Hierarchy hierarchy(cluster, cluster.ranks(), same);
    const Workload workload(call, cluster.ranks(), 0);
    Simulation simulation(cluster, &hierarchy);
    const coll::Algorithm& composed = *coll::find_algorithm(call.operation, "hierarchical");
    const Report report =
        simulation.run([&](coll::Channel& channel, int) { return composed.run(channel, workload.of(channel.rank())); });
    into_a_node = simulation.network().load(Network::Kind::adapter_in);
    out_of_a_node = simulation.network().load(Network::Kind::adapter_out);
    into_a_switch = simulation.network().load(Network::Kind::leaf_down);
    out_of_a_switch = simulation.network().load(Network::Kind::leaf_up);
    const auto at = [&](Level level) { return report.traffic[static_cast<std::size_t>(level)].messages; };
    const std::uint64_t between_switches = at(Level::switch_group) + at(Level::system);
    return {at(Level::leaf_switch) + between_switches, between_switches};
  }

  Parameters machine = default_parameters();
  LinkLoad into_a_node, out_of_a_node, into_a_switch, out_of_a_switch;
};

TEST_F(Crossings, ABroadcastEntersEachNodeAndEachSwitchOnce) {
  for (const Placement placement : {Placement::block, Placement::cyclic}) {
    for (const int root : {0, 83}) {
      const auto [nodes, switches] = messages({.operation = Operation::bcast, .bytes = 1000, .root = root}, placement);
      EXPECT_EQ(nodes, 31U);
      EXPECT_EQ(switches, 7U);
      EXPECT_EQ(into_a_node.most_messages, 1U);
      EXPECT_EQ(into_a_node.links, 31U);
      EXPECT_EQ(into_a_switch.most_messages, 1U);
      EXPECT_EQ(into_a_switch.links, 7U);
    }
  }
}

TEST_F(Crossings, OneResultOfAReductionLeavesEachNodeAndEachSwitch) {
  for (const bool ordered : {false, true}) {
    for (const int root : {0, 83}) {
      const Call call{.operation = Operation::reduce, .bytes = 1000, .root = root, .ordered = ordered};
      const auto [nodes, switches] = messages(call, Placement::block);
      // In the order of ranks the result may have to go from the first member to the root, within each stage.
      if (!ordered || root == 0) {
        EXPECT_EQ(nodes, 31U);
        EXPECT_EQ(switches, 7U);
        EXPECT_EQ(out_of_a_node.most_messages, 1U);
        EXPECT_EQ(out_of_a_switch.most_messages, 1U);
        EXPECT_EQ(out_of_a_switch.links, 7U);
      } else {
        EXPECT_LE(nodes, 31U + 2);
        EXPECT_LE(switches, 7U + 1);
      }
    }
  }
}

TEST_F(Crossings, AnAllreduceCrossesSwitchesOnlyBetweenOneMemberOfEach) {
  const auto [nodes, switches] = messages({.operation = Operation::allreduce, .bytes = 8}, Placement::block);
  EXPECT_EQ(switches, 8U * 3);         // recursive doubling among the eight
  EXPECT_EQ(nodes, 8U * 3 + 2U * 24);  // up and down within the switches
}

}  // namespace
}  // namespace bowline::sim
