// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/base/kernel_waits.hpp. No sleep ends because its time is over: a wake-up that is lost leaves the
// model in a deadlock.
#pragma once

#include <cstdint>
#include <source_location>

#include "base/atomic.hpp"

namespace bowline {

inline void futex_wait(Atomic<std::uint32_t>& word, std::uint32_t value, int /*milliseconds*/) {
  model::Words::here->word<std::uint32_t>(word.place()).wait(value, RL_INFO);
}
inline void futex_wake(Atomic<std::uint32_t>& word) {
  model::Words::here->word<std::uint32_t>(word.place()).wake(RL_INFO);
}
inline bool join_process_fences() {
  return true;
}
inline void process_fence(std::source_location where = std::source_location::current()) {
  if (!model::is_relaxed(where)) rl::systemwide_fence(RL_INFO);
}

}  // namespace bowline
