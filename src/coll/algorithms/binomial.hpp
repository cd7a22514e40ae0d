// SPDX-License-Identifier: BSD-3-Clause
// The binomial tree by which blocks are gathered and scattered: a member's subtree is a run of positions.
#pragma once

#include <algorithm>

namespace bowline::coll {

/// A member's place in the tree; positions count from the root, which is 0. The parent differs in the lowest bit that
/// is set; the children in the bits below it: position + 1, + 2, + 4 ... as far as they are below `bit`.
class BinomialPlace {
 public:
  BinomialPlace(int rank, int size, int root) noexcept
      : size_(size), root_(root), position_((rank - root + size) % size) {
    while (bit_ < size && (position_ & bit_) == 0) bit_ *= 2;
  }

  int position() const noexcept { return position_; }
  int bit() const noexcept { return bit_; }
  int parent() const noexcept { return rank_at(position_ - bit_); }
  int rank_at(int position) const noexcept { return (position + root_) % size_; }
  /// How many members stand in the subtree of the child at this distance; 0: there is none.
  int below(int distance) const noexcept {
    return position_ + distance >= size_ ? 0 : std::min(distance, size_ - position_ - distance);
  }
  /// How many members stand in this member's own subtree, itself among them.
  int own() const noexcept { return std::min(bit_, size_ - position_); }
  /// A subtree's blocks follow each other by position, but at the root by rank, where they may go on at rank 0. The
  /// root and its child send and receive those before and those behind apart. How many are before: of `count` blocks
  /// from this rank on.
  int before_rank_0(int rank, int count) const noexcept { return std::min(count, size_ - rank); }

 private:
  int size_;
  int root_;
  int position_;
  int bit_ = 1;
};

}  // namespace bowline::coll
