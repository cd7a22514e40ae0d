// SPDX-License-Identifier: BSD-3-Clause
// Adaptive waiting: spin, then yield the core, then sleep.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

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

/// What a call waits for: one message or the answer to one; or several equally urgent ones.
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
    std::size_t ranks = 1;  ///< of this node, which share `cores` cores evenly
    std::size_t cores = 1;
    bool threaded = false;        ///< whether several threads may wait
    bool through_kernel = false;  ///< whether messages come through the kernel, so that each attempt is a system call
  };
  /// The values for this process. The tunable wait_spins overrides the number of spins.
  static WaitPolicy make(const Situation& situation) noexcept;

  /// Yields the core to other processes.
  void yield() const noexcept;

  std::uint32_t spins = 0;    ///< fruitless attempts before the first yield
  std::uint32_t yields = 0;   ///< yields before the first sleep
  bool shared_cores = false;  ///< whether ranks share cores
  /// Whether waits measure their yields to learn if other processes need the core, and then spin and yield less
  /// (CoreWatch). Set if an attempt takes long, and if other processes than the ranks of this node may run on its
  /// cores.
  bool watches_core = false;
  /// Fruitless attempts of a wait for several messages, with two ranks on each core: when a rank gets its core back,
  /// the other rank of the core has just run, so the missing messages depend on ranks of other cores. With more ranks
  /// per core they probably depend on ranks of this core, and all values are 0.
  struct OfSeveral {
    /// Before the first yield: a rank that runs on another core may be a few steps behind.
    std::uint32_t first = 0;
    /// After the first yield: the awaited rank may wait for a context switch on its own core, after the other rank
    /// there has spun in vain.
    std::uint32_t after_first_yield = 0;
    /// After each later yield: the operation is long, other ranks work for long, and this core's other rank may be able
    /// to continue sooner.
    std::uint32_t after_yield = 0;
  };
  OfSeveral of_several;
};

/// Whether other processes need the core of this thread, as measured by yields with WaitPolicy::watches_core.
class CoreWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Records the begin and the end of a yield.
  static void yielded(Clock::time_point began, Clock::time_point ended) noexcept;
  /// At the start of a wait: whether other processes ran during a recent yield.
  static bool wanted() noexcept;
  /// After a yield: whether other processes ran for long during a recent yield. A kernel that schedules groups of
  /// processes (sessions, containers) does not always give the core to another group at a yield, but at the end of a
  /// time slice. Only a sleeping process gives up its core to other groups at once.
  static bool taken_away() noexcept;

  static constexpr std::uint32_t spins_then = 2;   ///< spins of a wait if the core is wanted
  static constexpr std::uint32_t yields_then = 8;  ///< yields before the first sleep if the core is taken away
};

/// Counts the fruitless attempts of one wait. One object per wait, on the stack.
class Waiter {
 public:
  explicit Waiter(const WaitPolicy& policy, Awaited awaited = Awaited::one) noexcept
      : policy_(policy),
        several_(awaited == Awaited::several && policy.shared_cores),
        attempts_(several_ ? policy.spins : attempts_left_out()),
        spins_left_(several_ ? policy.of_several.first : 0),
        spins_after_yield_(policy.of_several.after_first_yield) {}

  /// For the rest of a wait that has come to its first sleep.
  static Waiter asleep(const WaitPolicy& policy, Awaited awaited) noexcept {
    Waiter waiter(policy, awaited);
    waiter.attempts_ = policy.spins + policy.yields;
    waiter.spins_left_ = 0;
    waiter.spins_after_yield_ = policy.of_several.after_yield;
    return waiter;
  }

  void progressed() noexcept {
    attempts_ = attempts_ >= policy_.spins && policy_.shared_cores ? policy_.spins : attempts_left_out();
  }

  Rest next() noexcept {
    if (attempts_ < policy_.spins) [[likely]] {
      ++attempts_;
      return Rest::spin;
    }
    if (spins_left_ > 0) {
      --spins_left_;
      return Rest::spin;
    }
    if (attempts_ < policy_.spins + policy_.yields) {
      if (policy_.watches_core && attempts_ >= policy_.spins + CoreWatch::yields_then && CoreWatch::taken_away()) {
        attempts_ = policy_.spins + policy_.yields;
        return Rest::sleep;
      }
      ++attempts_;
      if (several_) spins_left_ = std::exchange(spins_after_yield_, policy_.of_several.after_yield);
      return Rest::yield;
    }
    return Rest::sleep;
  }

 private:
  std::uint32_t attempts_left_out() const noexcept {
    return policy_.watches_core && policy_.spins > CoreWatch::spins_then && CoreWatch::wanted()
               ? policy_.spins - CoreWatch::spins_then
               : 0;
  }

  const WaitPolicy& policy_;
  bool several_;
  std::uint32_t attempts_;
  std::uint32_t spins_left_;
  std::uint32_t spins_after_yield_;  ///< for a wait for several: spins after the next yield
};

/// Counts the fruitless attempts of calls that do not wait, such as MPI_Test. Programs call them in loops, which then
/// need the services of a wait: the awaited rank may need this core, or may have died.
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
