// SPDX-License-Identifier: BSD-3-Clause
// The trees along which pipelines move segments. Every member has at most two children, so the time for a segment does
// not grow with the team. The trees are in order: the members of the `lower` child's subtree come before this member,
// those of the `higher` child's after it, and each subtree is a run of members. So operands keep their order, and
// members with near ranks are near in the tree.
#pragma once

namespace bowline::coll {

/// The ranks with which a member exchanges data; negative: none.
struct TreePlace {
  int parent = -1;
  int lower = -1;
  int higher = -1;
};

/// A chain to the root from both ends.
TreePlace chain_in_order(int rank, int size, int root) noexcept;
/// A tree that halves both sides of the root and of every member below: depth 1 + log2 of the larger side.
TreePlace binary_tree_in_order(int rank, int size, int root) noexcept;

/// A chain for data without an order. Positions are rotated so that the root has the best place: at the end of a single
/// chain, with all other members on its higher side...
TreePlace chain(int rank, int size, int root) noexcept;
/// ... and in the middle of the tree: depth log2 n.
TreePlace binary_tree(int rank, int size, int root) noexcept;

}  // namespace bowline::coll
