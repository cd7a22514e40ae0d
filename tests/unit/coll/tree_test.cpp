// SPDX-License-Identifier: BSD-3-Clause
// The trees of the pipelines: parents and children agree, everybody is reached, and subtrees are runs of members.
#include "coll/algorithms/tree.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <functional>
#include <vector>

#include "coll/algorithms/segments.hpp"
#include "model.hpp"

namespace bowline::coll {
namespace {

using Shape = TreePlace (*)(int rank, int size, int root) noexcept;

/// The members in the order in which their operands are combined; checks that parents and children agree.
std::vector<int> in_order(Shape shape, int size, int root) {
  std::vector<int> order;
  const std::function<void(int)> visit = [&](int rank) {
    const TreePlace place = shape(rank, size, root);
    for (const int child : {place.lower, place.higher}) {
      if (child >= 0) {
        EXPECT_EQ(shape(child, size, root).parent, rank);
      }
    }
    if (place.lower >= 0) visit(place.lower);
    order.push_back(rank);
    if (place.higher >= 0) visit(place.higher);
  };
  EXPECT_LT(shape(root, size, root).parent, 0) << "the root has a parent";
  visit(root);
  return order;
}

int depth(Shape shape, int rank, int size, int root) {
  int steps = 0;
  for (int parent = rank; (parent = shape(parent, size, root).parent) >= 0;) ++steps;
  return steps;
}

TEST(Tree, HasEverybodyInTheOrderOfRanks) {
  for (const Shape shape : {chain_in_order, binary_tree_in_order}) {
    for (const int size : team_sizes()) {
      for (int root = 0; root < size; ++root) {
        const std::vector<int> order = in_order(shape, size, root);
        ASSERT_EQ(order.size(), static_cast<std::size_t>(size));
        for (int rank = 0; rank < size; ++rank) ASSERT_EQ(order[static_cast<std::size_t>(rank)], rank);
      }
    }
  }
}

TEST(Tree, HasEverybodyInTheOrderOfRanksFromSomebodyOnWhereThatIsBetter) {
  for (const Shape shape : {chain, binary_tree}) {
    for (const int size : team_sizes()) {
      for (int root = 0; root < size; ++root) {
        const std::vector<int> order = in_order(shape, size, root);
        ASSERT_EQ(order.size(), static_cast<std::size_t>(size));
        for (std::size_t i = 1; i < order.size(); ++i) ASSERT_EQ(order[i], (order[i - 1] + 1) % size);
      }
    }
  }
}

TEST(Tree, BinaryOnesHaveTheLogarithmAsDepth) {
  for (const int size : team_sizes()) {
    const int logarithm = static_cast<int>(std::bit_width(static_cast<unsigned>(size)));
    for (int root = 0; root < size; ++root) {
      for (int rank = 0; rank < size; ++rank) {
        ASSERT_LT(depth(binary_tree, rank, size, root), logarithm) << rank << " of " << size;
        ASSERT_LE(depth(binary_tree_in_order, rank, size, root), logarithm) << rank << " of " << size;
      }
    }
  }
}

TEST(Tree, OneChildIsTheHigherOne) {
  // Then a member combines into what has arrived, and copies nothing.
  for (const int size : team_sizes()) {
    for (int rank = 1; rank < size; ++rank) {
      const TreePlace place = binary_tree_in_order(rank, size, 0);
      EXPECT_TRUE(place.lower < 0 || place.higher >= 0) << rank << " of " << size;
    }
  }
}

TEST(Segments, CoverTheRun) {
  for (const std::size_t bytes : {0, 1, 9, 10, 11, 35}) {
    for (const std::size_t longest : {0, 1, 10, 100}) {
      const Segments segments(bytes, longest);
      std::size_t covered = 0;
      for (std::size_t i = 0; i < segments.count(); ++i) {
        ASSERT_GT(segments.length(i), 0U);
        if (longest != 0) {
          ASSERT_LE(segments.length(i), longest);
        }
        covered += segments.length(i);
      }
      EXPECT_EQ(covered, bytes);
    }
  }
}

}  // namespace
}  // namespace bowline::coll
