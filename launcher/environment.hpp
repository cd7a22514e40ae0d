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

/// What ranks get of mpiexec's environment that are to inherit nothing: what every login sets.
inline constexpr const char* login_variables[] = {"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"};

/// mpiexec's environment (if not `inherit`, the login_variables of it), then `wireup` (NAME=VALUE), then what the user
/// asked for; later ones win.
std::vector<std::string> rank_environment(bool inherit, const std::vector<std::string>& wireup,
                                          const std::vector<std::pair<std::string, std::string>>& user);

}  // namespace bowline::launcher
