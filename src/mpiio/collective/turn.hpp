// SPDX-License-Identifier: BSD-3-Clause
// TurnQueue: the order of the collective accesses of one file. All processes start them in the same order, and each
// process executes one after the other, so messages and sequence numbers of different accesses cannot be confused.
#pragma once

#include <coroutine>
#include <cstdint>

#include "base/atomic.hpp"
#include "proto/engine.hpp"
#include "proto/watch.hpp"

namespace bowline::mpiio {

/// Used under the lock of the lane.
class TurnQueue {
 public:
  explicit TurnQueue(proto::Engine& engine) noexcept : engine_(engine) {}

  /// The number of the access that starts now.
  std::uint64_t take() noexcept { return next_++; }
  /// Whether all accesses that have started have ended.
  bool idle() const noexcept { return ended_.load(std::memory_order_relaxed) == next_; }
  /// The access whose turn it is has ended.
  void end() noexcept { ended_.fetch_add(1, std::memory_order_release); }

  /// Waits until all accesses before access `number` have ended; co_await the result, by a named variable.
  auto turn(std::uint64_t number) noexcept {
    struct Awaiter {
      TurnQueue& queue;
      proto::Watch watch;
      bool await_ready() const noexcept { return watch.reached(); }
      void await_suspend(std::coroutine_handle<> waiter) noexcept {
        watch.waiter = waiter;
        queue.engine_.watch(watch);
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this, {ended_, number, {}}};
  }

 private:
  proto::Engine& engine_;
  std::uint64_t next_ = 0;
  Atomic<std::uint64_t> ended_{0};
};

}  // namespace bowline::mpiio
