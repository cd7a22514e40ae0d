// SPDX-License-Identifier: BSD-3-Clause
// The variables that ranks get.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace bowline::launcher {

/// Removes from this process what an outer launcher told it about a job, so that neither the PMIx server nor the ranks
/// take it for theirs. Settings for libraries (PMIX_MCA_*) stay.
void forget_outer_job();

/// mpiexec's environment, then `wireup` (NAME=VALUE), then what the user asked for; later ones win.
std::vector<std::string> rank_environment(const std::vector<std::string>& wireup,
                                          const std::vector<std::pair<std::string, std::string>>& user);

}  // namespace bowline::launcher
