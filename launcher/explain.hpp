// SPDX-License-Identifier: BSD-3-Clause
// mpiexec --explain: what mpiexec would do, without doing it.
#pragma once
#include <string>
#include <vector>

#include "launcher/job_options.hpp"

namespace bowline::launcher {

/// Which cores, programs, libraries, variables, ways of messages, networks and limits the ranks would get on this
/// machine, as text. Everything is checked as before a job. Makes no directory and starts no rank. Throws UsageError
/// and LaunchError.
std::string explain(Options options);

/// The same if another launcher starts the ranks. `command`: its command line.
std::string explain_elsewhere(const Options& options, const std::vector<std::string>& command);

/// The words as one line for a shell.
std::string for_shell(const std::vector<std::string>& words);

}  // namespace bowline::launcher
