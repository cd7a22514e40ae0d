// SPDX-License-Identifier: BSD-3-Clause
// Spawning through a PMIx server that can spawn: that of Bowline's mpiexec, or of prterun.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "wireup/spawning.hpp"

namespace bowline::wireup {

/// See Wireup::spawn(). nullptr if the server cannot spawn at all. Throws SpawnFailure.
std::unique_ptr<SpawnedJob> spawn_by_pmix(std::span<const Program> programs, const std::string& port);

}  // namespace bowline::wireup
