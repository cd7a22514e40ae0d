// SPDX-License-Identifier: BSD-3-Clause
// Settings: the environment variables of this process, read at its first call of MPI and again where MPI starts.
//
// A variable with a value that is not allowed ends the process with one sentence and status 1, whatever the error
// handler: it may be the variable that chooses the error handler, and nothing has begun that an error could undo.
#pragma once

#include <atomic>

namespace bowline::runtime {

/// Reads all tunables and the rules for collectives from the environment. Ends the process if one is not allowed.
/// Threads may call it at the same time.
void read_settings() noexcept;

/// The same, and tells of variables that set nothing. Where MPI starts.
void read_settings_and_warn() noexcept;

/// Whether only what the standard allows is taken (BOWLINE_CHECK=strict), and nothing of docs/leniency.md.
bool strict() noexcept;

inline constinit std::atomic<bool> settings_are_read{false};

/// In functions that may be the first one to be called: reads them unless that has been done.
[[gnu::always_inline]] inline void need_settings() noexcept {
  if (!settings_are_read.load(std::memory_order_acquire)) [[unlikely]]
    read_settings();
}

}  // namespace bowline::runtime
