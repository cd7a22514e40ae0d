// SPDX-License-Identifier: BSD-3-Clause
// Inside a Slurm allocation of several nodes, Slurm starts the ranks: mpiexec becomes srun.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "launcher/job_options.hpp"

namespace bowline::launcher {

/// Looks a variable up; a null pointer where it is not set.
using Lookup = std::function<const char*(const char*)>;

/// How many nodes the allocation has that this process runs in; 0 outside of any.
int slurm_nodes(const Lookup& variable);

/// The command line that does under srun what `options` ask for. Where srun has no counterpart and the job can do
/// without, a sentence goes to `warnings`. Throws UsageError for what else srun cannot do.
std::vector<std::string> srun_command(const Options& options, const Lookup& variable,
                                      std::vector<std::string>& warnings);

/// Becomes srun, and with --verbose says the command first. Throws UsageError when there is no srun in PATH.
[[noreturn]] void exec_srun(const Options& options);

}  // namespace bowline::launcher
