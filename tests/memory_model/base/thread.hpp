// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/base/thread.hpp. A model has a fixed number of threads, so one of them waits for the library's
// thread to be started, and then executes it.
#pragma once

#include <functional>
#include <utility>

#include "base/atomic.hpp"
#include "base/this_thread.hpp"

namespace bowline {

class Thread {
 public:
  Thread() = default;
  template <class Function>
  explicit Thread(Function function) {
    work = std::move(function);
    state.store(started, std::memory_order_release);
  }
  void join() {
    while (state.load(std::memory_order_acquire) != ended) yield_thread();
    state.store(none, std::memory_order_relaxed);
  }

  /// The thread of the model.
  static void run() {
    while (state.load(std::memory_order_acquire) != started) yield_thread();
    work();
    state.store(ended, std::memory_order_release);
  }

 private:
  static constexpr int none = 0, started = 1, ended = 2;
  static inline std::function<void()> work;
  static inline Atomic<int> state{none};
};

}  // namespace bowline
