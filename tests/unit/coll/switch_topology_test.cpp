// SPDX-License-Identifier: BSD-3-Clause
// coll/told: members of teams on many placements tell each other of the switches above their nodes.
#include "coll/machine/switch_topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "composed.hpp"
#include "model.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

/// Two nodes to a switch, two switches to a group, by names of no order. Node 5 has no group.
Switches above(int node) {
  const auto leaf = static_cast<std::uint64_t>(node / 2 + 1);
  return {.leaf = leaf * 0x9e3779b97f4a7c15, .group = node == 5 ? 0 : ((leaf - 1) / 2 + 1) * 0xc2b2ae3d27d4eb4f};
}

TEST(Told, AMachineNumbersWhatItWasTold) {
  const TestMachine nodes({7, 7, 0, 1, 2, 3, 5}, false);
  const std::vector<int> order = {7, 0, 1, 2, 3, 5};
  std::vector<Switches> switches;
  for (const int node : order) switches.push_back(above(node));
  const SwitchTopology machine(nodes, order, switches);
  const auto units = [&](Level level) {
    std::vector<int> found;
    for (int rank = 0; rank < 7; ++rank) found.push_back(machine.unit(level, rank));
    return found;
  };
  EXPECT_EQ(units(Level::node), (std::vector{7, 7, 0, 1, 2, 3, 5}));
  EXPECT_EQ(units(Level::leaf_switch), (std::vector{0, 0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(units(Level::switch_group), (std::vector{0, 0, 1, 1, 1, 1, -1}));
  EXPECT_EQ(units(Level::socket), std::vector<int>(7, -1));
}

TEST(Told, OfNodesThatAreNotAmongThemAMachineKnowsNoSwitch) {
  const TestMachine nodes({0, 4}, false);
  const Switches known = above(0);
  const SwitchTopology machine(nodes, std::vector{0}, {&known, 1});
  EXPECT_EQ(machine.unit(Level::leaf_switch, 0), 0);
  EXPECT_EQ(machine.unit(Level::leaf_switch, 1), -1);
}

/// In a random placement of so many members all learn the same, with few messages.
void expect_everybody_told(int size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int> node_of(static_cast<std::size_t>(size));
  const int most = 1 + static_cast<int>(random() % static_cast<unsigned>(size));
  for (int& node : node_of) node = static_cast<int>(random() % static_cast<unsigned>(most));
  const Hierarchy nodes(TestMachine(node_of, false), size, same);
  std::vector<std::vector<Switches>> all(node_of.size());
  Model model(size, seed);
  model.run([&](Channel& channel) {
    const Stage leaders = nodes.stage(nodes.stages() - 1, channel.rank(), 0);
    auto& mine = all[static_cast<std::size_t>(channel.rank())];
    mine.resize(static_cast<std::size_t>(leaders.members.count));
    if (leaders.taken_part_in())
      mine[static_cast<std::size_t>(leaders.rank)] = above(node_of[static_cast<std::size_t>(channel.rank())]);
    return exchange_switches(channel, nodes, mine);
  });
  const Members leaders = nodes.stage(nodes.stages() - 1, 0, 0).members;
  for (const auto& told : all) {
    for (int i = 0; i < leaders.count; ++i) {
      const Switches expected = above(node_of[static_cast<std::size_t>(leaders[i])]);
      EXPECT_EQ(told[static_cast<std::size_t>(i)].leaf, expected.leaf);
      EXPECT_EQ(told[static_cast<std::size_t>(i)].group, expected.group);
    }
  }
  EXPECT_LE(std::ranges::max(model.sends()), 12) << "log2 of the nodes, and of the members on one";
}

TEST(Told, EveryMemberLearnsOfEveryNode) {
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : team_sizes()) {
      if (size == 1) continue;  // alone on its node: not told
      SCOPED_TRACE(testing::Message() << size << " members, seed " << seed);
      expect_everybody_told(size, seed + static_cast<std::uint32_t>(size));
    }
  }
}

}  // namespace
}  // namespace bowline::coll
