// SPDX-License-Identifier: BSD-3-Clause
// Spawning under srun, whose PMIx server starts no processes: this process starts a further srun of its allocation in
// the background, which ends when this process ends.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "wireup/spawning.hpp"

namespace bowline::wireup {

/// See Wireup::spawn(). Throws SpawnFailure.
std::unique_ptr<SpawnedJob> spawn_by_srun(std::span<const Program> programs, const std::string& port);

}  // namespace bowline::wireup
