// SPDX-License-Identifier: BSD-3-Clause
// CopyCosts: whether a block takes less time through a slot, with a copy into it and a copy out of it, or with a single
// copy from its owner's buffer. That depends on the processor and on the length. A member decides for the blocks that
// it gives by the times of its own copies (base/tuner.hpp): the members run on one node, so copies of other members
// take about as long. Members need not decide alike, because each tells where its block lies.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <cstddef>

#include "base/tuner.hpp"

namespace bowline::coll {

/// For blocks of shortest + 1 to longest bytes. Used by the thread that executes the team's operations.
class CopyCosts {
 public:
  static constexpr std::size_t shortest = 4 << 10;
  static constexpr std::size_t longest = 256 << 10;
  static bool covers(std::size_t bytes) noexcept { return bytes > shortest && bytes <= longest; }

  /// Whether this member lends the block that it gives now. To be called once for each.
  bool lends(std::size_t bytes) noexcept { return of(bytes).tuner.next({}).candidate == single; }

  enum class Copy { into_slot, out_of_slot, from_owner };
  /// Runs `copy`, and takes note of its time.
  template <class Work>
  void time(Copy kind, std::size_t bytes, Work copy) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    copy();
    took(kind, bytes, std::chrono::duration<float, std::nano>(Clock::now() - start).count());
  }
  void took(Copy kind, std::size_t bytes, float nanoseconds) noexcept {
    Class& lengths = of(bytes);
    const float cost = nanoseconds / static_cast<float>(bytes);
    switch (kind) {
      case Copy::into_slot:
        lengths.into_slot = cost;
        break;
      case Copy::out_of_slot:
        if (lengths.into_slot > 0) lengths.tuner.took(through_slot, lengths.into_slot + cost);
        break;
      case Copy::from_owner:
        lengths.tuner.took(single, cost);
        break;
    }
  }

 private:
  static constexpr std::size_t through_slot = 0, single = 1;
  static constexpr Tuner::Rules rules{.first_interval = 64, .longest_interval = 1 << 14};

  /// Lengths up to one power of two.
  struct Class {
    Tuner tuner{rules, 2};  ///< costs: nanoseconds for each byte
    float into_slot = 0;    ///< the last copy; 0: none yet
  };
  Class& of(std::size_t bytes) noexcept {
    return classes_[static_cast<std::size_t>(std::bit_width(bytes - 1) - std::bit_width(shortest))];
  }

  std::array<Class, std::bit_width(longest) - std::bit_width(shortest)> classes_;
};

}  // namespace bowline::coll
