// SPDX-License-Identifier: BSD-3-Clause
// Segments: the parts in which pipelines move data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "coll/channel.hpp"

namespace bowline::coll {

/// A run of bytes in parts of one length, of which the last may be shorter. An empty run has none.
class Segments {
 public:
  /// `segment`: Arguments::segment, where 0 means one part.
  Segments(std::size_t bytes, std::size_t segment) noexcept
      : bytes_(bytes), longest_(segment == 0 ? bytes : std::min(segment, bytes)) {}

  std::size_t count() const noexcept { return bytes_ == 0 ? 0 : (bytes_ + longest_ - 1) / longest_; }
  std::size_t longest() const noexcept { return longest_; }
  std::size_t length(std::size_t index) const noexcept { return std::min(longest_, bytes_ - index * longest_); }

  template <class Byte>
  std::span<Byte> of(std::span<Byte> run, std::size_t index) const noexcept {
    return run.subspan(index * longest_, length(index));
  }
  /// A place for this segment in memory for `slots` of them, which are used in turn.
  std::span<std::byte> slot(const Scratch& memory, std::size_t slots, std::size_t index) const noexcept {
    return memory.subspan(index % slots * longest_, length(index));
  }

 private:
  std::size_t bytes_;
  std::size_t longest_;
};

}  // namespace bowline::coll
