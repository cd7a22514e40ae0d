// SPDX-License-Identifier: BSD-3-Clause
// Settings: the environment variables of this process, read at its first call of MPI and again when MPI starts.
//
// A variable with an invalid value ends the process with one error message and status 1, whatever the error handler:
// the variable may be the one that chooses the error handler, and nothing has begun that would have to be undone.
#pragma once

#include <cstdint>

#include "base/flag.hpp"

namespace bowline::runtime {

/// Reads all tunables and the rules for collectives from the environment. Ends the process if a value is invalid.
/// Several threads may call it at the same time.
void read_settings() noexcept;

/// Like read_settings(), and warns of BOWLINE_* variables that do not exist. Called when MPI starts.
void read_settings_and_warn() noexcept;

/// What BOWLINE_CHECK asks for.
struct Checks {
  bool strict = false;     ///< only what the standard allows is accepted, and nothing of docs/leniency.md
  bool leaks = false;      ///< MPI_Finalize tells which objects the program has not freed
  bool buffers = false;    ///< buffers of operations that have not been completed are watched (docs/debugging.md)
  bool types = false;      ///< the datatypes of messages and of the receives that take them are compared
  bool buffering = false;  ///< standard sends complete when they are received, so who relies on more waits for ever
  bool epochs = false;     ///< accesses to the memory of windows are compared with those of the other members
  /// Which receives from any rank that had a choice of messages are told by MPI_Finalize.
  enum class Rivals : std::uint8_t { none, of_unnamed_senders, all } rivals = Rivals::none;

  /// Whether calls are looked at before and after they are executed (api/checking/checked_call.hpp).
  bool calls() const noexcept { return leaks || buffers || types || buffering || epochs || rivals != Rivals::none; }
};
const Checks& checks() noexcept;

/// Whether the library accepts only what the standard allows (BOWLINE_CHECK=strict), and nothing of docs/leniency.md.
inline bool strict() noexcept {
  return checks().strict;
}

inline constinit Flag settings_are_read{false};

/// Reads the settings unless they have been read. For functions that may be the first MPI call of the program.
[[gnu::always_inline]] inline void need_settings() noexcept {
  if (!settings_are_read) [[unlikely]]
    read_settings();
}

}  // namespace bowline::runtime
