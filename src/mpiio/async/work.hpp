// SPDX-License-Identifier: BSD-3-Clause
// Work: something that takes a while and that no thread of the program should wait for: an access to a file. Threads of
// the library execute it (workers.hpp), or the kernel does (io_ring.hpp).
#pragma once

#include <coroutine>
#include <cstdint>

#include "base/atomic.hpp"
#include "proto/engine.hpp"
#include "proto/watch.hpp"

namespace bowline::mpiio {

/// An access that is given to one executor at a time. The object must stay at its address until it has finished.
class Work {
 public:
  /// `engine`: the engine of the lane whose coroutine waits for the work.
  explicit Work(proto::Engine& engine) noexcept : engine_(engine) {}
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  bool finished() const noexcept { return finished_.load(std::memory_order_acquire) != 0; }
  /// Before the work is given to an executor again.
  void renew() noexcept { finished_.store(0, std::memory_order_relaxed); }

  /// Waits until the work has finished; co_await the result, by a named variable. The caller holds the lock of the
  /// lane.
  auto end() noexcept {
    struct Awaiter {
      Work& work;
      proto::Watch watch{work.finished_, 1, {}};
      bool await_ready() const noexcept { return watch.reached(); }
      void await_suspend(std::coroutine_handle<> waiter) noexcept {
        watch.waiter = waiter;
        work.engine_.watch(watch);
      }
      void await_resume() const noexcept {}
    };
    return Awaiter{*this};
  }

  /// Executes the work; a thread that holds no lock of the library calls this.
  virtual void execute() noexcept = 0;
  /// The executor calls this last: the work may be gone when finish() returns.
  void finish() noexcept {
    proto::Engine& engine = engine_;
    finished_.store(1, std::memory_order_release);
    thread_fence(std::memory_order_seq_cst);  // before the look at sleeping threads
    engine.loop().wake_sleepers();
  }

 protected:
  ~Work() = default;

 private:
  proto::Engine& engine_;
  Atomic<std::uint64_t> finished_{0};
};

}  // namespace bowline::mpiio
