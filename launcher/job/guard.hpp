// SPDX-License-Identifier: BSD-3-Clause
// Two processes that guard each other, so that nothing of a job is left if either is killed.
//
//   mpiexec (the process the user sees: terminal, signals, standard input)
//     └─ bowline-job (own session: PMIx server, event loop)
//          └─ ranks (each in a process group of its own)
//
// mpiexec and bowline-job are both subreapers. When mpiexec is killed, bowline-job reads the end of a pipe and ends all
// its descendants. When bowline-job is killed, the kernel kills the ranks (PR_SET_PDEATHSIG), and mpiexec inherits and
// ends the rest.
#pragma once
#include <span>

#include "launcher/job/job.hpp"

namespace bowline::launcher {

/// Runs the job in a process of its own, with a scratch directory (scratch.hpp), and returns mpiexec's exit status.
/// When it returns, no process and no directory of the job exists. `arguments`: the arguments of main(), which the
/// job's process overwrites. Throws LaunchError.
int supervise(const Job& job, std::span<char*> arguments);

}  // namespace bowline::launcher
