// SPDX-License-Identifier: BSD-3-Clause
// comm/mapping: how much of the traffic between neighbours leaves a node on simulated machines.
#include "comm/mapping.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "support/seed.hpp"

namespace bowline::comm {
namespace {

/// `nodes` nodes with two packages each; ranks fill one after the other.
std::vector<HardwarePlace> machine(int nodes, int ranks_per_node) {
  std::vector<HardwarePlace> places;
  for (int node = 0; node < nodes; ++node) {
    for (int rank = 0; rank < ranks_per_node; ++rank) {
      places.push_back({{node, 2 * rank / ranks_per_node, rank / 4, rank}});
    }
  }
  return places;
}

std::vector<int> identity(std::size_t size) {
  std::vector<int> result(size);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

void expect_permutation(std::vector<int> mapping, std::size_t size) {
  std::ranges::sort(mapping);
  EXPECT_EQ(mapping, identity(size));
}

struct Crossings {
  std::size_t before, after;
};

Crossings crossings(const Cartesian& grid, const std::vector<HardwarePlace>& places) {
  const auto neighbours = neighbours_of(grid);
  const std::vector<int> mapping = map_grid(grid, places);
  expect_permutation(mapping, neighbours.size());
  return {count_crossings(neighbours, identity(neighbours.size()), places, 0),
          count_crossings(neighbours, mapping, places, 0)};
}

TEST(Mapping, KnowsTheNeighboursOfAGrid) {
  const auto neighbours = neighbours_of({{2, 3}, {false, true}});
  EXPECT_EQ(neighbours[0], (std::vector<int>{3, 2, 1}));
  EXPECT_EQ(neighbours[4], (std::vector<int>{1, 3, 5}));
}

// 64 nodes of 32 ranks. A block of 32 cells of a cubic grid has at least 64 outer faces, whatever the mapping.
TEST(Mapping, A3dGridLeavesItsNodeMuchLessOften) {
  const auto places = machine(64, 32);
  for (const bool periodic : {false, true}) {
    for (const std::vector<int>& dims : {std::vector<int>{8, 8, 32}, {4, 8, 64}, {4, 16, 32}}) {
      const auto [before, after] = crossings({dims, {periodic, periodic, periodic}}, places);
      RecordProperty("before", static_cast<int>(before));
      RecordProperty("after", static_cast<int>(after));
      EXPECT_LE(after * 10, before * 6) << dims[0] << " x " << dims[1] << " x " << dims[2];
    }
  }
}

TEST(Mapping, TheBalanced3dGridReachesTheLeastThatIsPossible) {
  const auto [before, after] = crossings({{16, 16, 8}, {true, true, true}}, machine(64, 32));
  EXPECT_EQ(before, 64U * 80);
  EXPECT_EQ(after, 64U * 64);  // no block of 32 cells has fewer than 64 faces towards other blocks
}

TEST(Mapping, NeverMakesMoreTrafficOnOddMachines) {
  for (const int nodes : {1, 3, 5, 7}) {
    for (const int ranks : {1, 6, 12, 20}) {
      const auto places = machine(nodes, ranks);
      const auto [before, after] = crossings({{nodes, ranks}, {false, false}}, places);
      EXPECT_LE(after, before) << nodes << " nodes of " << ranks;
    }
  }
}

TEST(Mapping, AGridMayLeaveProcessesOut) {
  const auto places = machine(4, 4);
  const std::vector<int> mapping = map_grid({{3, 3}, {false, false}}, places);
  ASSERT_EQ(mapping.size(), 9U);
  std::vector<int> sorted = mapping;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::adjacent_find(sorted), sorted.end());
  EXPECT_EQ(map_grid({{}, {}}, places).size(), 1U);
}

// A graph of 16 rings of 8 whose members are scattered over the ranks: each ring fits into a node.
TEST(Mapping, AGraphIsPutTogetherAgain) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<int> label = identity(128);
    std::ranges::shuffle(label, random);
    std::vector<std::vector<int>> neighbours(128);
    for (int ring = 0; ring < 16; ++ring) {
      for (int i = 0; i < 8; ++i) {
        const auto at = [&](int k) { return label[static_cast<std::size_t>(8 * ring + (k + 8) % 8)]; };
        neighbours[static_cast<std::size_t>(at(i))] = {at(i - 1), at(i + 1)};
      }
    }
    const auto places = machine(16, 8);
    const std::vector<int> mapping = map_graph(neighbours, places);
    expect_permutation(mapping, 128);
    EXPECT_EQ(count_crossings(neighbours, mapping, places, 0), 0U);
    EXPECT_GT(count_crossings(neighbours, identity(128), places, 0), 128U);
  }
}

}  // namespace
}  // namespace bowline::comm
