// SPDX-License-Identifier: BSD-3-Clause
// Spawning in an allocation of Slurm, whose PMIx server starts no processes: this process starts an srun of the
// allocation in the background, which ends when this process ends, unless a program outlives it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "wireup/spawning.hpp"

namespace bowline::wireup {

/// See Wireup::spawn(). Throws SpawnFailure.
std::unique_ptr<SpawnedJob> spawn_by_srun(std::span<const Program> programs, const std::string& port);

}  // namespace bowline::wireup
