// SPDX-License-Identifier: BSD-3-Clause
// Coverage: which bytes of a message have arrived, when its pieces may arrive in any order.
#pragma once

#include <cstddef>
#include <iterator>
#include <map>

namespace bowline::proto {

/// Adjacent pieces are merged, so the memory is in proportion to the number of ordered streams in which pieces arrive.
class Coverage {
 public:
  void clear() noexcept {
    pieces_.clear();
    covered_ = 0;
  }
  /// Number of bytes that have arrived.
  std::size_t covered() const noexcept { return covered_; }

  /// Records that these bytes have arrived. Returns false and changes nothing if some of them had arrived before, there
  /// are none, or they go beyond `whole`, the length of the message.
  bool add(std::size_t offset, std::size_t bytes, std::size_t whole) {
    if (bytes == 0 || offset > whole || bytes > whole - offset) return false;
    const auto after = pieces_.lower_bound(offset);
    if (after != pieces_.end() && after->first < offset + bytes) return false;
    const auto before = after == pieces_.begin() ? pieces_.end() : std::prev(after);
    if (before != pieces_.end() && before->second > offset) return false;
    const bool joins_before = before != pieces_.end() && before->second == offset;
    const bool joins_after = after != pieces_.end() && after->first == offset + bytes;
    const std::size_t end = joins_after ? after->second : offset + bytes;
    if (joins_before) {
      before->second = end;
    } else {
      pieces_.emplace_hint(after, offset, end);
    }
    if (joins_after) pieces_.erase(after);
    covered_ += bytes;
    return true;
  }

 private:
  std::map<std::size_t, std::size_t> pieces_;  ///< begin -> end, not adjacent to each other
  std::size_t covered_ = 0;
};

}  // namespace bowline::proto
