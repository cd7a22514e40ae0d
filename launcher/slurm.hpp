// SPDX-License-Identifier: BSD-3-Clause
// Inside a Slurm allocation of several nodes, Slurm starts the ranks: mpiexec replaces itself by srun.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "launcher/job_options.hpp"

namespace bowline::launcher {

/// Returns the value of an environment variable; a null pointer if it is not set.
using Lookup = std::function<const char*(const char*)>;

/// Number of nodes of the allocation in which this process runs; 0 outside of an allocation.
int slurm_nodes(const Lookup& variable);

/// The plugin of Slurm by which ranks find each other: "pmix", or "pmi2" if srun says that it has only that. Runs srun.
std::string slurm_mpi();

/// The command line of srun for these options, with this plugin. An option that srun lacks and that the job can do
/// without adds a sentence to `warnings`; any other option that srun lacks throws UsageError.
std::vector<std::string> srun_command(const Options& options, const Lookup& variable, const std::string& mpi,
                                      std::vector<std::string>& warnings);

/// Replaces this process by srun; with --verbose prints the command first. Throws UsageError if PATH has no srun.
[[noreturn]] void exec_srun(const Options& options);

}  // namespace bowline::launcher
