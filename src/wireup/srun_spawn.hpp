// SPDX-License-Identifier: BSD-3-Clause
// Spawning in an allocation of Slurm, whose PMIx and PMI servers start no processes: this process starts an srun of the
// allocation in the background, which ends when this process ends, unless a program outlives it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "wireup/spawning.hpp"

namespace bowline::wireup {

/// See Wireup::spawn(). `mpi`: the plugin of Slurm by which the processes find each other. Throws SpawnFailure.
std::unique_ptr<SpawnedJob> spawn_by_srun(std::span<const Program> programs, const std::string& port,
                                          std::string_view mpi = "pmix");

}  // namespace bowline::wireup
