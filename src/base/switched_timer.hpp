// SPDX-License-Identifier: BSD-3-Clause
// SwitchedTimer: a timer for a part of the library that is too short to be timed when nobody wants to know.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/atomic.hpp"
#include "base/counter.hpp"
#include "base/events/event.hpp"

namespace bowline {

/// Declared as a counter is.
class SwitchedTimer final : public Measure {
 public:
  SwitchedTimer(Category category, std::string_view name, std::string_view help)
      : Measure(Kind::timer, category, name, help) {}

  /// The time from its construction to its destruction is added to the timer, if somebody wants to know it.
  class Section {
   public:
    explicit Section(SwitchedTimer& timer) noexcept : timer_(timer) {
      if (timer.wanted_.load(std::memory_order_relaxed) > 0) [[unlikely]]
        began_ = event_time();
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
    ~Section() {
      if (began_ != 0) [[unlikely]]
        timer_.value_.fetch_add(static_cast<std::uint64_t>(event_time() - began_), std::memory_order_relaxed);
    }

   private:
    SwitchedTimer& timer_;
    std::int64_t began_ = 0;
  };

  std::uint64_t value() const noexcept override { return value_.load(std::memory_order_relaxed); }
  void want(int change) noexcept override { wanted_.fetch_add(change, std::memory_order_relaxed); }

 private:
  Atomic<std::uint64_t> value_{0};
  Atomic<int> wanted_{0};
};

}  // namespace bowline
