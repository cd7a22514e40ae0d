// SPDX-License-Identifier: BSD-3-Clause
// The srun that starts the processes of MPI_Comm_spawn: its command line, and its environment. Only text is made here.
//
// All processes are one step of Slurm with one PMIx namespace, or one PMI job. srun starts a shell for each of them,
// which becomes the process's program: several programs need no file that lists them, and arguments, variables and
// directories reach the programs unchanged.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wireup/spawning.hpp"

namespace bowline::wireup {

/// Longest time that srun waits for room, in seconds.
constexpr int time_for_room = 30;

/// The words after "srun". `cpus`: of the allocation; 0 if not known. `mpi`: Slurm's plugin for the processes. Throws
/// SpawnFailure if the programs and their arguments are too long for a command line.
std::vector<std::string> srun_words(std::span<const Program> programs, int cpus, std::string_view mpi = "pmix");

/// The variables ("NAME=VALUE") for srun and the processes: `own` without what describes the step of this process,
/// which srun would take for its own options, and with `port`. The port's name has a secret: on a command line all
/// users could read it.
std::vector<std::string> srun_environment(std::vector<std::string> own, const std::string& port);

}  // namespace bowline::wireup
