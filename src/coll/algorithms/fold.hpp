// SPDX-License-Identifier: BSD-3-Clause
// Fold: teams of any size as a power of two, for algorithms whose partners differ in one bit (Thakur, Rabenseifner,
// Gropp 2005).
#pragma once

#include <bit>

#include "coll/channel/channel.hpp"

namespace bowline::coll {

/// The number of positions is the largest power of two that does not exceed the team. Members 0 and 1 share position 0,
/// 2 and 3 position 1, and so on, until one position remains for each other member. The odd member of a pair acts for
/// both, unless the even one is the root. So the order of positions is the order of ranks.
struct Fold {
  int positions;
  int shared;  ///< number of positions with two members
  int root;    ///< negative: there is no root

  explicit Fold(int size, int root = -1) noexcept
      : positions(static_cast<int>(std::bit_floor(static_cast<unsigned>(size)))),
        shared(size - positions),
        root(root) {}

  bool shares(int rank) const noexcept { return rank < 2 * shared; }
  bool acts(int rank) const noexcept { return actor(position(rank)) == rank; }
  int position(int rank) const noexcept { return shares(rank) ? rank / 2 : rank - shared; }
  int actor(int position) const noexcept {
    if (position >= shared) return position + shared;
    return 2 * position == root ? root : 2 * position + 1;
  }
  int first_member(int position) const noexcept { return position < shared ? 2 * position : position + shared; }
};

/// mine = lower (op) higher; `mine` may be either operand. May overwrite `theirs`.
inline void combine_in_order(Channel& channel, const Reduction& reduction, bool mine_is_lower,
                             std::span<std::byte> mine, std::span<std::byte> theirs) {
  if (mine_is_lower && !reduction.commutative()) {
    channel.combine(reduction, mine.data(), theirs);
    channel.copy(theirs, mine.data());
  } else {
    channel.combine(reduction, theirs.data(), mine);
  }
}

}  // namespace bowline::coll
