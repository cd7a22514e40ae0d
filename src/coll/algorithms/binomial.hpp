// SPDX-License-Identifier: BSD-3-Clause
// The binomial tree of gather and scatter: a member's subtree is a run of positions.
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
  /// The number of members in the subtree of the child at this distance; 0: there is no such child.
  int below(int distance) const noexcept {
    return position_ + distance >= size_ ? 0 : std::min(distance, size_ - position_ - distance);
  }
  /// The number of members in this member's own subtree, including itself.
  int own() const noexcept { return std::min(bit_, size_ - position_); }
  /// The blocks of a subtree are in the order of positions, at the root in the order of ranks, where they may wrap
  /// around to rank 0. The root and its child then transfer the blocks before and after the wrap separately. Returns
  /// the number before the wrap, of `count` blocks from this rank on.
  int before_rank_0(int rank, int count) const noexcept { return std::min(count, size_ - rank); }

 private:
  int size_;
  int root_;
  int position_;
  int bit_ = 1;
};

}  // namespace bowline::coll
