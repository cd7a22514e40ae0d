// SPDX-License-Identifier: BSD-3-Clause
// MessageSizes: how many messages there are of which size, for the report of a job.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"

namespace bowline {

/// By powers of two: row 0 counts empty messages, row n those of at least 2^(n-1) and less than 2^n bytes.
class MessageSizes {
 public:
  static constexpr std::size_t rows = 65;

  static constexpr std::size_t row_of(std::uint64_t bytes) noexcept {
    return static_cast<std::size_t>(std::bit_width(bytes));
  }
  /// The least size of a row, in bytes.
  static constexpr std::uint64_t lower(std::size_t row) noexcept {
    return row == 0 ? 0 : std::uint64_t{1} << (row - 1);
  }

  /// Any thread may count.
  void add(std::uint64_t bytes) noexcept { numbers_[row_of(bytes)].fetch_add(1, std::memory_order_relaxed); }
  std::uint64_t number(std::size_t row) const noexcept { return numbers_[row].load(std::memory_order_relaxed); }

  /// Counts the announced messages of this process; nullptr: nobody wants to know.
  static MessageSizes* announced() noexcept { return used.load(std::memory_order_acquire); }
  /// The object must not end before the process does, or before nullptr is given.
  static void count_announced_in(MessageSizes* sizes) noexcept { used.store(sizes, std::memory_order_release); }

 private:
  static inline constinit Atomic<MessageSizes*> used{nullptr};

  std::array<Atomic<std::uint64_t>, rows> numbers_{};
};

}  // namespace bowline
