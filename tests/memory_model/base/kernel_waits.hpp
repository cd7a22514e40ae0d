// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/base/kernel_waits.hpp. Only a nap of a millisecond ends because its time is over: after a longer
// sleep, a wake-up that is lost leaves the model in a deadlock.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace bowline {
namespace model {

/// Whether the kernel offers fences of other processes; set by a model before its threads run.
inline bool process_fences_offered = true;

}  // namespace model

inline void futex_wait(Atomic<std::uint32_t>& word, std::uint32_t value, int milliseconds) {
  model::Words::here->word<std::uint32_t>(word.place()).wait(value, milliseconds <= 1, RL_INFO);
}
inline void futex_wake(Atomic<std::uint32_t>& word) {
  model::Words::here->word<std::uint32_t>(word.place()).wake(RL_INFO);
}
inline bool join_process_fences() {
  return model::process_fences_offered;
}
/// All threads execute their fence in one moment. Between two threads, one of which calls this function, that allows
/// the same results as a fence at any moment of the call.
inline void process_fence(model::Where where = model::Where::current()) {
  RL_ASSERT(model::process_fences_offered);
  if (model::is_relaxed(where)) return;
  rl::ctx().sched();
  rl::systemwide_fence(RL_INFO);
}

}  // namespace bowline
