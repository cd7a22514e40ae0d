// SPDX-License-Identifier: BSD-3-Clause
// Segments: the pieces in which pipelines move data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace bowline::coll {

/// The segments in which pipelines move data: all of the same length but the last. Data without a byte are one segment.
class Segments {
 public:
  /// `longest`: length of a segment; 0 for a single segment.
  Segments(std::size_t bytes, std::size_t longest) noexcept
      : longest_(longest == 0 ? bytes : std::min(longest, bytes)),
        count_(bytes == 0 ? 1 : (bytes + longest_ - 1) / longest_) {}

  std::size_t count() const noexcept { return count_; }
  std::size_t longest() const noexcept { return longest_; }
  /// Segment `index` of `data`. If the data are shorter than `bytes`, the last segments are shorter or empty.
  template <class Byte>
  std::span<Byte> of(std::span<Byte> data, std::size_t index) const noexcept {
    const std::size_t first = std::min(index * longest_, data.size());
    return data.subspan(first, std::min(longest_, data.size() - first));
  }

 private:
  std::size_t longest_;
  std::size_t count_;
};

}  // namespace bowline::coll
