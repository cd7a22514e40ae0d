// SPDX-License-Identifier: BSD-3-Clause
// The networks that ranks on this machine would use, for mpiexec --explain.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace bowline::launcher {

/// Each network, the preferred one first, and whether it can be used, by name and sentence: what bowline-info beside
/// this program says, because mpiexec itself loads no network's library. `variables`: those that ranks get besides
/// mpiexec's own. One row without a name if bowline-info cannot answer.
std::vector<std::pair<std::string, std::string>> networks_here(
    const std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace bowline::launcher
