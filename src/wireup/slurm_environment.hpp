// SPDX-License-Identifier: BSD-3-Clause
// What Slurm puts into the environment of its processes.
#pragma once

#include <string>

namespace bowline::wireup {

/// The switches above this node, from the widest to the nearest, such as "s0.s2"; empty if Slurm knows no switches.
std::string switches_above();

/// The number of ranks in the step of this process; 0 if Slurm has not started it.
int step_size();

/// If Slurm's environment says that there are several ranks but no PMIx server was found, writes one line to standard
/// error that explains why this is a job of one rank, and what to do. Only the first task of a step writes it.
void warn_if_alone();

}  // namespace bowline::wireup
