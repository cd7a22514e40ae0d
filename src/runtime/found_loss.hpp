// SPDX-License-Identifier: BSD-3-Clause
// FoundLoss: the first lost rank that is found while this process waits for the others at its end. Threads that use
// sessions may find it while another thread waits.
#pragma once

#include <chrono>
#include <mutex>
#include <new>
#include <string>

namespace bowline::runtime {

class FoundLoss {
 public:
  /// Keeps the sentence, unless there is one already.
  void record(const char* why) noexcept {
    const std::lock_guard hold(mutex_);
    if (!why_.empty()) return;
    try {
      why_ = why;
    } catch (const std::bad_alloc&) {
      why_ = "a rank is lost";  // needs no memory
    }
    when_ = std::chrono::steady_clock::now();
  }
  void forget() noexcept {
    const std::lock_guard hold(mutex_);
    why_.clear();
  }
  /// Whether a loss was found at least this long ago.
  bool older_than(std::chrono::steady_clock::duration time) const noexcept {
    const std::lock_guard hold(mutex_);
    return !why_.empty() && std::chrono::steady_clock::now() - when_ >= time;
  }
  /// The sentence; empty if there is none.
  std::string why() const {
    const std::lock_guard hold(mutex_);
    return why_;
  }

 private:
  mutable std::mutex mutex_;
  std::string why_;
  std::chrono::steady_clock::time_point when_;
};

}  // namespace bowline::runtime
