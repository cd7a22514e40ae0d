// SPDX-License-Identifier: BSD-3-Clause
// The wait of a rank's process for gdb, before it runs its program.
#pragma once

namespace bowline::launcher {

/// What /proc/PID/comm says of a process that waits: it has mpiexec's program still.
inline constexpr const char* waiting_name = "bowline-rank";

/// Returns when a debugger has attached to this process and let it go on, or `gate` is at its end of file. For the
/// child of a process with threads: makes only calls that need no lock.
void await_debugger(int gate) noexcept;

}  // namespace bowline::launcher
