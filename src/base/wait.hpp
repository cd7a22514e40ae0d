// SPDX-License-Identifier: BSD-3-Clause
// Adaptive waiting: spin, then yield the core, then sleep.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cpu_relax.hpp"

namespace bowline {

/// What a waiting loop should do after an attempt that made no progress.
enum class Rest : std::uint8_t { spin, yield, sleep };

/// What a call waits for: one message or the answer to one message; or several equally urgent messages.
enum class Awaited : std::uint8_t { one, several };

/// How long to spin and to yield before the next, cheaper but slower way of waiting.
///
/// If ranks share cores, a spinning rank may occupy the core that its peer needs. Spinning for one message pays
/// nevertheless: if the peer runs on another core at this moment, it answers, and both continue without a context
/// switch until their time slices end. Therefore a wait for one message spins once, for about the time of a context
/// switch. Ranks that share a single core never spin.
struct WaitPolicy {
  /// What decides how a process waits.
  struct Situation {
    std::size_t ranks = 1;  ///< ranks of this node, which share `cores` cores evenly
    std::size_t cores = 1;
    bool threaded = false;        ///< whether several threads may wait
    bool through_kernel = false;  ///< whether messages come through the kernel, so that each attempt is a system call
  };
  /// The values for this process. The tunable wait_spins overrides the number of spins.
  static WaitPolicy make(const Situation& situation) noexcept;

  /// The same for the beginning of waits that are measured: a short wait is not worth it.
  WaitPolicy brief() const noexcept {
    constexpr std::uint32_t few = 64;
    return {.spins = spins < few ? spins : few, .yields = 0, .shared_cores = shared_cores};
  }

  std::uint32_t spins = 0;    ///< fruitless attempts before the first yield
  std::uint32_t yields = 0;   ///< yields before the first sleep
  bool shared_cores = false;  ///< whether ranks share cores
};

/// Counts the fruitless attempts of one wait. One object per wait, on the stack.
class Waiter {
 public:
  explicit Waiter(const WaitPolicy& policy, Awaited awaited = Awaited::one) noexcept
      : policy_(policy), attempts_(awaited == Awaited::several && policy.shared_cores ? policy.spins : 0) {}

  /// A waiter that skips the attempts before the first sleep, for the rest of a wait that has slept already.
  static Waiter asleep(const WaitPolicy& policy) noexcept {
    Waiter waiter(policy);
    waiter.attempts_ = policy.spins + policy.yields;
    return waiter;
  }

  void progressed() noexcept { attempts_ = attempts_ >= policy_.spins && policy_.shared_cores ? policy_.spins : 0; }

  Rest next() noexcept {
    if (attempts_ >= policy_.spins + policy_.yields) return Rest::sleep;
    return ++attempts_ <= policy_.spins ? Rest::spin : Rest::yield;
  }

 private:
  const WaitPolicy& policy_;
  std::uint32_t attempts_;
};

/// Counts the fruitless attempts of calls that do not wait, such as MPI_Test. Programs call these functions in loops,
/// which then need the services of a wait: the awaited rank may need this core, or may have died.
class Polls {
 public:
  void progressed() noexcept { fruitless_ = 0; }
  /// After a fruitless attempt: whether to yield once. If ranks share cores, true whenever a wait would have stopped
  /// spinning.
  bool should_yield(const WaitPolicy& policy) noexcept {
    ++fruitless_;
    return policy.shared_cores ? fruitless_ > policy.spins : fruitless_ % polls_per_yield == 0;
  }

 private:
  static constexpr std::uint32_t polls_per_yield = 1024;
  std::uint32_t fruitless_ = 0;
};

}  // namespace bowline
