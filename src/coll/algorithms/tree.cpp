// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/tree.hpp"

namespace bowline::coll {
namespace {

using Shape = TreePlace (*)(int rank, int size, int root) noexcept;

/// The shape over positions, in which the root has position `position`.
TreePlace turned(Shape shape, int rank, int size, int root, int position_of_root) noexcept {
  const int shift = (position_of_root - root + size) % size;
  const auto rank_at = [=](int position) { return position < 0 ? -1 : (position - shift + size) % size; };
  const TreePlace place = shape((rank + shift) % size, size, position_of_root);
  return {rank_at(place.parent), rank_at(place.lower), rank_at(place.higher)};
}

}  // namespace

TreePlace chain_in_order(int rank, int size, int root) noexcept {
  const int below = rank > 0 ? rank - 1 : -1;
  const int above = rank + 1 < size ? rank + 1 : -1;
  if (rank < root) return {.parent = above, .lower = below, .higher = -1};
  if (rank > root) return {.parent = below, .lower = -1, .higher = above};
  return {.parent = -1, .lower = below, .higher = above};
}

TreePlace binary_tree_in_order(int rank, int size, int root) noexcept {
  const auto middle = [](int first, int end) { return first < end ? first + (end - first - 1) / 2 : -1; };
  // The current subtree: members first ... end - 1, with `top` as its root.
  int first = 0;
  int end = size;
  int top = root;
  int parent = -1;
  while (top != rank) {
    parent = top;
    (rank < top ? end : first) = rank < top ? top : top + 1;
    top = middle(first, end);
  }
  return {.parent = parent, .lower = middle(first, rank), .higher = middle(rank + 1, end)};
}

TreePlace chain(int rank, int size, int root) noexcept {
  return turned(chain_in_order, rank, size, root, 0);
}

TreePlace binary_tree(int rank, int size, int root) noexcept {
  return turned(binary_tree_in_order, rank, size, root, (size - 1) / 2);
}

}  // namespace bowline::coll
