// SPDX-License-Identifier: BSD-3-Clause
// Adaptive waiting: spin, then yield the core, then sleep.
#pragma once

#include <cstdint>

namespace bowline {

inline void cpu_relax() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// What a waiting loop should do after an attempt that made no progress.
enum class Rest : std::uint8_t { spin, yield, sleep };

/// How long to spin and to yield before the next, cheaper but slower way of waiting. With more ranks than cores
/// spinning only keeps the peer that one waits for from running, so it is skipped.
class WaitPolicy {
 public:
  /// Takes the values for this process from the tunables.
  static WaitPolicy make(bool more_ranks_than_cores) noexcept;

  std::uint32_t spins = 0;   ///< fruitless attempts before the first yield
  std::uint32_t yields = 0;  ///< yields before the first sleep
};

/// Counts the fruitless attempts of one wait. One object per wait, on the stack.
class Waiter {
 public:
  explicit Waiter(const WaitPolicy& policy) noexcept : policy_(policy) {}

  void progressed() noexcept { attempts_ = 0; }

  Rest next() noexcept {
    if (attempts_ < policy_.spins) [[likely]] {
      ++attempts_;
      return Rest::spin;
    }
    if (attempts_ < policy_.spins + policy_.yields) {
      ++attempts_;
      return Rest::yield;
    }
    return Rest::sleep;
  }

 private:
  const WaitPolicy& policy_;
  std::uint32_t attempts_ = 0;
};

}  // namespace bowline
