// SPDX-License-Identifier: BSD-3-Clause
// Completion: the end of an operation that a thread or a coroutine may wait for.
#pragma once

#include <atomic>
#include <coroutine>

namespace bowline {

/// A truth that one thread sets and others may look at without a lock: who sees it set also sees what was written
/// before.
class Flag {
 public:
  constexpr Flag(bool value = false) noexcept : value_(value) {}
  Flag& operator=(bool value) noexcept {
    value_.store(value, std::memory_order_release);
    return *this;
  }
  operator bool() const noexcept { return value_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> value_;
};

/// Set once by whoever finishes the operation; if a coroutine waits by then, it is resumed by the next round of
/// progress.
struct Completion {
  Flag done;
  std::coroutine_handle<> waiter;
};

}  // namespace bowline
