// SPDX-License-Identifier: BSD-3-Clause
// ProgressThread: moves the operations of a process while its program computes. It is there only if the user asks for
// it (the tunable progress_thread): it needs time on a core, and every call then takes its lane's lock.
//
// It is one more thread in the lanes, and stands back where another one is. While nothing has begun that has not ended
// it sleeps, and whoever hands out a request wakes it; else it moves what it can and then sleeps as a waiting call
// does, until a message arrives or a word in shared memory is written. Where another thread stays, which moves
// everything itself, it sleeps too, until that thread hands out a request or leaves one behind.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "proto/lanes.hpp"

namespace bowline::proto {

class ProgressThread {
 public:
  /// Longer than a tick of the kernel. Linux 6.18 may let a session, or container, whose threads nap for less, again
  /// and again, keep a core for seconds while all others stand still: the virtual runtime by which it chooses among
  /// sessions does not grow then (se->vruntime of a group that runs, in /sys/kernel/debug/sched/debug).
  static constexpr std::chrono::milliseconds longest_nap{5};

  /// The lanes' locks are enabled, and the lanes outlive the thread. `nap`: how long it sleeps at most while operations
  /// go on.
  explicit ProgressThread(Lanes& lanes, std::chrono::milliseconds nap = longest_nap);
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  /// Ends it.
  ~ProgressThread();

  /// Whether this process has one: then who begins long work had better leave it to the thread.
  static bool runs() noexcept { return served.load(std::memory_order_relaxed) != nullptr; }
  /// Whether the caller is that thread: it runs the user's operators.
  static bool is_this_thread() noexcept { return own; }
  /// An operation has begun that goes on when the call returns. A load, where there is no such thread or it is awake.
  static void operation_begun() noexcept {
    if (state.load(std::memory_order_relaxed) != State::awake) [[unlikely]]
      wake();
  }
  /// A call has waited in this lane, and returns.
  static void wait_ended(const Engine& lane) noexcept {
    const State now = state.load(std::memory_order_relaxed);
    if (now == State::stands_back || now == State::dozes) [[unlikely]]
      take_over(lane);
  }

 private:
  /// What it waits for, if it is not awake: that an operation begins; or that, or the end of a call that leaves some;
  /// or these, or what those that go on wait for.
  enum class State : std::uint8_t { awake, sleeps, stands_back, dozes };

  void run();
  void sleep_until_begun();
  bool stand_back();
  void doze();
  static void take_over(const Engine& lane) noexcept;
  static void wake() noexcept;

  // One per process, as the thread is.
  static inline constinit std::atomic<Lanes*> served{nullptr};  ///< as long as there is a thread
  static inline constinit thread_local bool own = false;
  static inline constinit std::atomic<State> state{State::awake};
  static inline constinit std::mutex waking;
  // Never destroyed: a program that exits may have threads that are still in MPI, and in a process that was forked the
  // thread that waits here is missing for ever.
  static inline std::condition_variable& woken = *new std::condition_variable;

  Lanes& lanes_;
  const std::chrono::milliseconds nap_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace bowline::proto
