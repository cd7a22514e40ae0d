// SPDX-License-Identifier: BSD-3-Clause
// What Slurm puts into the environment of its processes.
#pragma once

#include <string>

namespace bowline::wireup {

/// The switches above this node, from the widest to the nearest, such as "s0.s2"; empty if Slurm knows no switches.
std::string switches_above();

/// The number of ranks in the step of this process; 0 if Slurm has not started it.
int step_size();

/// The number of nodes of the allocation of this process; 0 if it has none.
int allocated_nodes();

/// The number of CPUs of the allocation of this process; 0 if it has none.
int allocated_cpus();

}  // namespace bowline::wireup
