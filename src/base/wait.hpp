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

/// What a call waits for: one message, or the answer to one; or several, of which none is more urgent.
enum class Awaited : std::uint8_t { one, several };

/// How long to spin and to yield before the next, cheaper but slower way of waiting.
///
/// Where ranks share cores, spinning may keep the peer that one waits for from running. For one message it pays
/// nevertheless: if the peer runs on another core at this moment it answers, and both go on without a change of process
/// until their time slices end. So a wait for one spins there about as long as such a change takes, and only once.
/// Ranks that have one core between them never spin.
struct WaitPolicy {
  /// Takes the values for this process from the tunables. `ranks`: of this node, dealt out evenly to so many `cores`;
  /// `threaded`: several threads may wait.
  static WaitPolicy make(std::size_t ranks, std::size_t cores, bool threaded) noexcept;

  /// Offers the core to others.
  void yield() const noexcept;

  std::uint32_t spins = 0;    ///< fruitless attempts before the first yield
  std::uint32_t yields = 0;   ///< yields before the first sleep
  bool shared_cores = false;  ///< whether others need the core
  /// Whether waits find out by their yields if others need the core, and then spin and yield less (CoreWatch). So it
  /// is where an attempt takes long, and where the ranks of this node are not all who may run on its cores.
  bool watches_core = false;
  /// Fruitless attempts of a wait for several, where each core has two ranks: when one of them has got the core again,
  /// the other one has just run, and what is still waited for is up to ranks on other cores. With more ranks to a core
  /// it is rather up to one of those: then there are none.
  struct OfSeveral {
    /// Before the first yield. Who has another core at this moment may be just some steps off.
    std::uint32_t first = 0;
    /// After the first yield. Who is waited for may have to wait for a change of process on its core as well, after the
    /// other rank there has spun in vain.
    std::uint32_t after_first_yield = 0;
    /// After each later one, which is of a long operation: others work for long, and this core's other rank may be able
    /// to go on sooner.
    std::uint32_t after_yield = 0;
  };
  OfSeveral of_several;
};

/// What the yields with WaitPolicy::watches_core tell about the core of this thread.
class CoreWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// Notes that a yield began and ended then.
  static void yielded(Clock::time_point began, Clock::time_point ended) noexcept;
  /// At the begin of a wait: whether others ran during a yield not many waits ago.
  static bool wanted() noexcept;
  /// After a yield: whether others ran for long during one, not long ago. A kernel that schedules by groups of
  /// processes (sessions, containers) gives those of other groups the core not always for a yield, but when a time
  /// slice ends: only who sleeps makes room for them at once.
  static bool taken_away() noexcept;

  static constexpr std::uint32_t spins_then = 2;   ///< of a wait, where the core is wanted
  static constexpr std::uint32_t yields_then = 8;  ///< before the first sleep, where it is taken away
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
  std::uint32_t spins_after_yield_;  ///< the next one, of a wait for several
};

/// Counts the fruitless attempts of calls that do not wait, such as MPI_Test. Programs make them in loops, and then
/// need what a wait has: the rank that they are about may need this core, and may have died.
class Polls {
 public:
  void progressed() noexcept { fruitless_ = 0; }
  /// After a fruitless attempt: whether to yield once. Where cores are shared, whenever a wait would not spin any more.
  bool should_yield(const WaitPolicy& policy) noexcept {
    ++fruitless_;
    return policy.shared_cores ? fruitless_ > policy.spins : fruitless_ % polls_per_yield == 0;
  }

 private:
  static constexpr std::uint32_t polls_per_yield = 1024;
  std::uint32_t fruitless_ = 0;
};

}  // namespace bowline
