// SPDX-License-Identifier: BSD-3-Clause
// The answer of a rank to a signal by which the user asks what it does: what it waits for and where in the program, on
// standard error. For ranks that mpiexec has not started: srun passes signals on to all ranks of a step.
#pragma once

namespace bowline {

/// Which signals ask.
struct AskingSignals {
  bool sigterm = false;  ///< a line, before the process ends by SIGTERM
  bool sigusr1 = false;  ///< a page with the stack; the process goes on
  bool answers = true;   ///< false: this process ignores the question, because enough others answer
};

/// Installs handlers for these signals, each of them only if the signal has its default action. Call once per process,
/// after prepare_stack_pages() and ShownWait::join_board().
void show_when_asked(const AskingSignals& signals);

}  // namespace bowline
