// SPDX-License-Identifier: BSD-3-Clause
// Launchers with which this library cannot speak: those without a PMIx server.
#pragma once

namespace bowline::wireup {

/// For a process that has found no PMIx server. If the environment says that a launcher has started several processes,
/// each of them is about to run the whole program as a job of one rank. Then the first of them writes one line to
/// standard error that says so, and what to do; with BOWLINE_SINGLETON=error each throws Error (MPI_ERR_OTHER) instead.
/// A program that was started by hand in the shell of a Slurm allocation gets a line about its start, and is never
/// refused.
void check_alone();

}  // namespace bowline::wireup
