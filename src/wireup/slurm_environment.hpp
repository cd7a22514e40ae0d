// SPDX-License-Identifier: BSD-3-Clause
// What Slurm tells its processes in their environment.
#pragma once

#include <string>

namespace bowline::wireup {

/// The switches above this node, from the widest to the nearest, such as "s0.s2"; empty where Slurm knows no switches.
std::string switches_above();

/// How many ranks the step has that this process belongs to; 0 if Slurm has not started it.
int step_size();

/// Writes one line to standard error if srun or a Slurm shell promises several ranks, and no PMIx server was found:
/// says why this is a job of one rank, and what to do. Of the tasks of a step only the first says so.
void warn_if_alone();

}  // namespace bowline::wireup
