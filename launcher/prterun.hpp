// SPDX-License-Identifier: BSD-3-Clause
// If several hosts are named outside of Slurm, PRRTE starts the ranks: mpiexec replaces itself by prterun.
#pragma once
#include <string>
#include <vector>

#include "launcher/job_options.hpp"

namespace bowline::launcher {

/// The command line of prterun for these options. An option without a counterpart adds a sentence to `warnings`.
std::vector<std::string> prterun_command(const Options& options, std::vector<std::string>& warnings);

/// Replaces this process by prterun; with --verbose prints the command first. Throws UsageError if PATH has no prterun.
[[noreturn]] void exec_prterun(const Options& options);

}  // namespace bowline::launcher
