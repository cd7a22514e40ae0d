// SPDX-License-Identifier: BSD-3-Clause
// ProgressThread: moves the operations of a process while its program computes. It is there only if the user asks for
// it (the tunable progress_thread): it needs time on a core, and every call then takes its lane's lock.
//
// It is one more thread in the lanes, and stands back where another one is. While nothing has begun that has not ended
// it sleeps, and whoever hands out a request wakes it; else it moves what it can and then sleeps as a waiting call
// does, until a message arrives or a word in shared memory is written.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "proto/lanes.hpp"

namespace bowline::proto {

class ProgressThread {
 public:
  /// The lanes' locks are enabled, and the lanes outlive the thread.
  explicit ProgressThread(Lanes& lanes) : lanes_(lanes), thread_([this] { run(); }) { running = true; }
  ProgressThread(const ProgressThread&) = delete;
  ProgressThread& operator=(const ProgressThread&) = delete;
  /// Ends it.
  ~ProgressThread();

  /// Whether this process has one: then who begins long work had better leave it to the thread.
  static bool runs() noexcept { return running.load(std::memory_order_relaxed); }
  /// An operation has begun that goes on when the call returns. A load, where there is no such thread or it is awake.
  static void operation_begun() noexcept {
    if (asleep.load(std::memory_order_relaxed)) [[unlikely]]
      wake();
  }

 private:
  void run();
  void sleep_until_begun();
  static void wake() noexcept;

  static inline constinit std::atomic<bool> running{false};
  /// Whether the thread sleeps until an operation begins. One per process, as the thread is.
  static inline constinit std::atomic<bool> asleep{false};

  Lanes& lanes_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace bowline::proto
