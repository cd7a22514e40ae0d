// SPDX-License-Identifier: BSD-3-Clause
// Flag: one bit that announces what was written before it.
#pragma once

#include "base/atomic.hpp"

namespace bowline {

/// A flag that one thread sets and other threads read without a lock. A thread that sees the flag set also sees all
/// writes before.
class Flag {
 public:
  constexpr Flag(bool value = false) noexcept : value_(value) {}
  Flag& operator=(bool value) noexcept {
    value_.store(value, std::memory_order_release);
    return *this;
  }
  operator bool() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  Atomic<bool> value_;
};

}  // namespace bowline
