// SPDX-License-Identifier: BSD-3-Clause
// ProgressThread: makes progress while the program of a process computes. It exists only if the user enables it (the
// tunable progress_thread): it needs time on a core, and every call then takes its lane's lock.
//
// The progress thread is one more thread that enters the lanes, and it leaves a lane that another thread uses. While no
// operation is pending it sleeps, and the call that starts an operation wakes it. While operations are pending it makes
// progress, and then sleeps like a waiting call until a message arrives or a word in shared memory is written. It does
// so without a pending operation too where there is a network to other nodes, because the first message of a peer waits
// until this process accepts the connection. If another thread stays in a lane and so makes the progress itself, this
// thread also sleeps, until that thread starts an operation or returns and leaves operations pending.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/atomic.hpp"
#include "base/mutex.hpp"
#include "base/thread.hpp"
#include "proto/lanes.hpp"

namespace bowline::proto {

class ProgressThread {
 public:
  /// The shortest nap, longer than a tick of the kernel. Linux 6.18 may let a session or container, whose threads
  /// repeatedly sleep for less, keep a core for seconds while all others stand still: the virtual runtime by which it
  /// chooses among sessions does not grow then (se->vruntime of a running group, in /sys/kernel/debug/sched/debug).
  static constexpr std::chrono::milliseconds longest_nap{5};

  /// The locks of the lanes must be enabled, and the lanes must outlive the thread. `nap`: the longest sleep while
  /// operations are pending or a network is there.
  explicit ProgressThread(Lanes& lanes, std::chrono::milliseconds nap = longest_nap);
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  /// Stops the thread and waits for its end.
  ~ProgressThread();

  /// Whether this process has a progress thread. A call that starts long work then leaves the work to it.
  static bool runs() noexcept { return served.load(std::memory_order_relaxed) != nullptr; }
  /// Whether the caller is the progress thread, which also runs user-defined operators.
  static bool is_this_thread() noexcept { return own; }
  /// Call after starting an operation that is pending when the call returns. Costs one load if there is no progress
  /// thread or it is awake.
  static void operation_begun() noexcept {
    if (state.load(std::memory_order_relaxed) != State::awake) [[unlikely]]
      wake();
  }
  /// Call when lanes have got a network, over which peers may make contact from now on.
  static void network_added() noexcept { operation_begun(); }
  /// Call before a call returns that has waited in this lane.
  static void wait_ended(const Engine& lane) noexcept {
    const State now = state.load(std::memory_order_relaxed);
    if (now == State::stands_back || now == State::dozes) [[unlikely]]
      take_over(lane);
  }

 private:
  /// What wakes the thread. sleeps: an operation starts. stands_back: an operation starts, or a call returns and leaves
  /// operations pending. dozes: one of these, or an event for which a pending operation waits.
  enum class State : std::uint8_t { awake, sleeps, stands_back, dozes };

  void run();
  void sleep_until_begun();
  bool stand_back();
  void doze();
  static void take_over(const Engine& lane) noexcept;
  static void wake() noexcept;

  // Static, because there is at most one thread per process.
  static inline constinit Atomic<Lanes*> served{nullptr};  ///< nullptr if there is no thread
  static inline constinit thread_local bool own = false;
  static inline constinit Atomic<State> state{State::awake};
  static inline constinit Mutex waking;
  // Never destroyed: when a program exits, its threads may still be in MPI, and in a forked process the thread that
  // waits here does not exist.
  static inline ConditionVariable& woken = *new ConditionVariable;

  Lanes& lanes_;
  const std::chrono::milliseconds nap_;
  Atomic<bool> stop_{false};
  Thread thread_;
};

}  // namespace bowline::proto
