// SPDX-License-Identifier: BSD-3-Clause
// A rank whose launcher was started by a debugger waits here until the debugger has attached to the ranks that it
// wants.
#pragma once

namespace bowline::runtime {

/// Returns at once if no debugger has started the launcher. Otherwise waits until the launcher opens the gate, or the
/// debugger sets MPIR_debug_gate. Changes no memory that MPI uses, so that it may come before everything else.
void wait_at_debugger_gate() noexcept;

}  // namespace bowline::runtime
