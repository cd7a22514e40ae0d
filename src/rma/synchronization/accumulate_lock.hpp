// SPDX-License-Identifier: BSD-3-Clause
// AccumulateLock: excludes other accumulates to a member's memory while one is not a single instruction. The holder
// never waits for anything, so others spin for it, and then yield. If a holder has ended, the lock passes on.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace bowline::rma {

/// Tells whether a holder is alive.
class Holders {
 public:
  /// `member`: number among the members on the node.
  virtual bool ended(int member) noexcept = 0;

 protected:
  ~Holders() = default;
};

/// Holds the lock for the lifetime of the object.
class AccumulateLock {
 public:
  /// `word`: of the target (ControlLines::accumulating); nullptr if no other process accumulates there. `mine`: the
  /// number of this process among the members on the node.
  AccumulateLock(Atomic<std::uint32_t>* word, int mine, Holders& holders) noexcept : word_(word) {
    if (word_ == nullptr) return;
    std::uint32_t free = 0;
    const auto me = static_cast<std::uint32_t>(mine) + 1;
    if (!word_->compare_exchange_strong(free, me, std::memory_order_acquire, std::memory_order_relaxed)) [[unlikely]]
      wait(me, holders);
  }
  ~AccumulateLock() {
    if (word_ != nullptr) word_->store(0, std::memory_order_release);
  }
  AccumulateLock(const AccumulateLock&) = delete;
  AccumulateLock& operator=(const AccumulateLock&) = delete;

 private:
  [[gnu::cold]] void wait(std::uint32_t me, Holders& holders) noexcept;

  Atomic<std::uint32_t>* word_;
};

}  // namespace bowline::rma
