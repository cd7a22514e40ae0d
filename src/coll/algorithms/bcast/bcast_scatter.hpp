// SPDX-License-Identifier: BSD-3-Clause
// The first half of a broadcast by scatter and allgather.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "base/task.hpp"
#include "coll/channel/channel.hpp"

namespace bowline::coll {

/// Data in one part for each member, of equal length; the last parts may be shorter or empty.
class Parts {
 public:
  Parts(std::span<std::byte> data, int members) noexcept
      : data_(data), each_((data.size() + static_cast<std::size_t>(members) - 1) / static_cast<std::size_t>(members)) {}

  std::span<std::byte> run(int first, int count) const noexcept {
    const std::size_t begin = std::min(static_cast<std::size_t>(first) * each_, data_.size());
    const std::size_t end = std::min(static_cast<std::size_t>(first + count) * each_, data_.size());
    return data_.subspan(begin, end - begin);
  }

 private:
  std::span<std::byte> data_;
  std::size_t each_;
};

/// Binomial tree from the root: afterwards the member at position p has parts p ... p + parts_after_scatter(p) - 1.
Task bcast_scatter(Channel& channel, int root, Parts parts);

inline int parts_after_scatter(int position, int size) noexcept {
  return position == 0 ? size : std::min(position & -position, size - position);
}

}  // namespace bowline::coll
