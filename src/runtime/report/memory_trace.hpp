// SPDX-License-Identifier: BSD-3-Clause
// MemoryTrace: how much memory this process has had, over time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace bowline::runtime {

/// Keeps a fixed number of points. When they are used up, every second one goes and the interval doubles.
class MemoryTrace {
 public:
  struct Point {
    std::int64_t at;      ///< event_time()
    std::uint64_t bytes;  ///< resident
  };

  /// To be called in equal intervals; may be called in a signal handler, but by one thread at a time.
  void look() noexcept;
  std::span<const Point> points() const noexcept { return {points_.data(), count_}; }
  /// Adds a point by itself.
  void add(Point point) noexcept;

 private:
  static constexpr std::size_t most = 128;

  std::array<Point, most> points_{};
  std::size_t count_ = 0;
  unsigned interval_ = 1;  ///< of so many calls one is kept
  unsigned calls_ = 0;
};

/// The memory of this process that is in the machine's memory now; 0 if that is not known. May be called in a signal
/// handler.
std::uint64_t resident_bytes() noexcept;
/// The most that there has been.
std::uint64_t resident_peak() noexcept;

}  // namespace bowline::runtime
