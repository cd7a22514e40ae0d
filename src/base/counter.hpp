// SPDX-License-Identifier: BSD-3-Clause
// Counters: one declaration names a number that the library counts, for statistics and tests.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/atomic.hpp"

namespace bowline {

/// Declared at namespace scope in the file that counts. Any thread in any lane may count and read; reading synchronizes
/// nothing. Never reset.
class Counter {
 public:
  Counter(std::string_view name, std::string_view help);
  Counter(const Counter&) = delete;
  Counter& operator=(const Counter&) = delete;

  void add(std::uint64_t n = 1) noexcept { value_.fetch_add(n, std::memory_order_relaxed); }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }
  std::string_view name() const noexcept { return name_; }
  std::string_view help() const noexcept { return help_; }

  /// All counters of the process, sorted by name.
  static std::span<Counter* const> all();

 private:
  Atomic<std::uint64_t> value_{0};
  std::string_view name_;
  std::string_view help_;
};

}  // namespace bowline
