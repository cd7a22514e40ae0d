// SPDX-License-Identifier: BSD-3-Clause
// Spawning without a launcher: this process starts mpiexec in the background, which ends when this process ends,
// unless a program outlives it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "wireup/spawning.hpp"

namespace bowline::wireup {

/// See Wireup::spawn(). Throws SpawnFailure.
std::unique_ptr<SpawnedJob> spawn_by_mpiexec(std::span<const Program> programs, const std::string& port);

}  // namespace bowline::wireup
