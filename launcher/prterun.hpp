// SPDX-License-Identifier: BSD-3-Clause
// Where several hosts are named outside of Slurm, PRRTE starts the ranks: mpiexec becomes prterun.
#pragma once
#include <string>
#include <vector>

#include "launcher/job_options.hpp"

namespace bowline::launcher {

/// The command line that does under prterun what `options` ask for. What it cannot do becomes a sentence in `warnings`.
std::vector<std::string> prterun_command(const Options& options, std::vector<std::string>& warnings);

/// Becomes prterun, and with --verbose says the command first. Throws UsageError when there is none in PATH.
[[noreturn]] void exec_prterun(const Options& options);

}  // namespace bowline::launcher
