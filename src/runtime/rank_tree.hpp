// SPDX-License-Identifier: BSD-3-Clause
// RankTree: the neighbours of a position in the binary tree over the positions 0 to size - 1. Each branch is a range of
// positions, so most edges lie within nodes.
#pragma once

#include <algorithm>
#include <vector>

namespace bowline::runtime {

struct RankTree {
  int parent = -1;            ///< -1: the root
  std::vector<int> children;  ///< two at most

  /// The first position of a range is the root of its tree; the two halves of the others are the trees of its children.
  static RankTree around(int position, int size) {
    RankTree tree;
    int first = 0;
    int end = size;
    for (;;) {
      const int middle = first + 1 + (end - first) / 2;
      if (position == first) {
        if (first + 1 < end) tree.children.push_back(first + 1);
        if (middle < end) tree.children.push_back(middle);
        return tree;
      }
      tree.parent = first;
      first = position < middle ? first + 1 : middle;
      end = position < middle ? std::min(middle, end) : end;
    }
  }
};

}  // namespace bowline::runtime
