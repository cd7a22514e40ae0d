// SPDX-License-Identifier: BSD-3-Clause
// The environment variables of the ranks.
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launcher/job_options.hpp"

namespace bowline::launcher {

/// Removes the variables by which an outer launcher describes a job to this process, so that neither the PMIx server
/// nor the ranks use them. Settings for libraries (PMIX_MCA_*) stay.
void forget_outer_job();

/// Whether a variable (NAME=VALUE) describes a job to its processes, so that forget_outer_job() removes it.
bool tells_of_outer_job(std::string_view variable);

/// The variables that every login sets. Ranks that do not inherit mpiexec's environment still get these.
inline constexpr const char* login_variables[] = {"HOME", "LANG", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "USER"};

/// The environment of a rank: mpiexec's environment (only the login_variables if not `inherit`), then `wireup`
/// (NAME=VALUE), then the user's variables. Later variables override earlier ones.
std::vector<std::string> rank_environment(bool inherit, const std::vector<std::string>& wireup,
                                          const std::vector<std::pair<std::string, std::string>>& user);

/// The value of a variable for a program: from the command line, or else from the environment; empty if there is none.
std::string value_for(const App& app, const char* name);

}  // namespace bowline::launcher
