// SPDX-License-Identifier: BSD-3-Clause
// The trees along which pipelines move segments: everyone has two children at most, so that the time for a segment does
// not grow with the team. They are in order: the members of the `lower` child's subtree come before this member, those
// of the `higher` child's behind it, and each subtree is a run of them. Operands keep their order, and members that are
// near in rank are near in the tree.
#pragma once

namespace bowline::coll {

/// Whom a member exchanges with, by rank; negative: nobody.
struct TreePlace {
  int parent = -1;
  int lower = -1;
  int higher = -1;
};

/// A chain to the root from both ends.
TreePlace chain_in_order(int rank, int size, int root) noexcept;
/// A tree in which both sides of the root, and of everybody below it, are halved: depth 1 + log2 of the larger side.
TreePlace binary_tree_in_order(int rank, int size, int root) noexcept;

/// The same for those whose order does not matter, counted from another member on, so that the root stands where it
/// is best: at the end of a single chain, with everybody else on its higher side...
TreePlace chain(int rank, int size, int root) noexcept;
/// ... and in the middle of the tree: depth log2 n.
TreePlace binary_tree(int rank, int size, int root) noexcept;

}  // namespace bowline::coll
