// SPDX-License-Identifier: BSD-3-Clause
// SpinLock: a lock for a few instructions, none of which can take it again.
#pragma once

#include "base/atomic.hpp"
#include "base/cpu_relax.hpp"

namespace bowline {

class SpinLock {
 public:
  constexpr SpinLock() noexcept = default;
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  void lock() noexcept {
    while (taken_.exchange(true, std::memory_order_acquire)) cpu_relax();
  }
  void unlock() noexcept { taken_.store(false, std::memory_order_release); }

 private:
  Atomic<bool> taken_{false};
};

}  // namespace bowline
