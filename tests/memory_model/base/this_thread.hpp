// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/base/this_thread.hpp: the threads of a model run in one thread of the system.
#pragma once

#include <array>
#include <chrono>

#include "relacy.hpp"

namespace bowline {

inline const void* this_thread_mark() {
  static const std::array<char, 16> marks{};
  return &marks[rl::thread_index()];
}

inline void yield_thread() {
  rl::yield(1, RL_INFO);
}
inline void sleep_thread(std::chrono::microseconds) {
  rl::yield(1, RL_INFO);
}

}  // namespace bowline
