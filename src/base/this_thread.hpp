// SPDX-License-Identifier: BSD-3-Clause
// The calling thread.
#pragma once

#include <chrono>
#include <thread>

namespace bowline {

/// An address that no two living threads share: names the calling thread in an atomic word.
inline const void* this_thread_mark() noexcept {
  thread_local const char mark = 0;
  return &mark;
}

inline void yield_thread() noexcept {
  std::this_thread::yield();
}
inline void sleep_thread(std::chrono::microseconds time) noexcept {
  std::this_thread::sleep_for(time);
}

}  // namespace bowline
