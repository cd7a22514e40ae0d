// SPDX-License-Identifier: BSD-3-Clause
// Work: something that takes a while and that no thread of the program should wait for: an access to a file. Threads of
// the library execute it (workers.hpp), or the kernel does (io_ring.hpp).
#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>

#include "proto/engine.hpp"
#include "proto/watch.hpp"

namespace bowline::mpiio {

/// Given to one executor at a time. It must stay where it is until it has finished.
class Work {
 public:
  /// `engine`: of the lane whose coroutine waits for it.
  explicit Work(proto::Engine& engine) noexcept : engine_(engine) {}
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  bool finished() const noexcept { return finished_.load(std::memory_order_acquire) != 0; }
  /// Before the work is given to an executor again.
  void renew() noexcept { finished_.store(0, std::memory_order_relaxed); }

  /// co_await it, by a named variable, to wait until the work has finished. The caller holds the lock of the lane.
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

  /// Executes it; called by a thread that holds no lock of the library.
  virtual void execute() noexcept = 0;
  /// To be called by the executor, last: the work may be gone when this returns.
  void finish() noexcept {
    proto::Engine& engine = engine_;
    finished_.exchange(1, std::memory_order_seq_cst);  // before the look at sleeping threads
    engine.loop().wake_sleepers();
  }

 protected:
  ~Work() = default;

 private:
  proto::Engine& engine_;
  std::atomic<std::uint64_t> finished_{0};
};

}  // namespace bowline::mpiio
