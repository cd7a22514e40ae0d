// SPDX-License-Identifier: BSD-3-Clause
// How processes of this job have ended, as far as their launcher tells: mpiexec --keep-going shows it on its board. A
// launcher that ends the job with its first lost rank tells nothing.
#pragma once

#include <string>

namespace bowline::runtime {

/// Whether the launcher has told that the rank is lost. A few loads.
bool told_lost(int rank) noexcept;
/// How a lost rank has ended, as in "was killed by signal 9 (Killed)"; empty if the launcher has not told.
std::string loss_in_words(int rank);
/// Whether a process has called MPI_Finalize that has ended and of which no trace is left. `rank`: negative for a
/// process of another job. Where the launcher tells how ranks end, waits a little until it has told.
bool has_ended_properly(int rank) noexcept;

}  // namespace bowline::runtime
