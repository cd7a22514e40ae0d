// SPDX-License-Identifier: BSD-3-Clause
// The number of ranks if the command line does not give it, and whether the machine has places for them.
#pragma once
#include "launcher/host_topology.hpp"
#include "launcher/job_options.hpp"

namespace bowline::launcher {

/// Sets the number of ranks of a single program without -n from -N, --map-by ppr or the slots of the named hosts.
/// Throws UsageError for more ranks than -N allows. Reads the machine's topology only if the number depends on it.
void count_ranks(Options& options);

/// What MPI_UNIVERSE_SIZE tells: what the user has chosen, or else the slots of the named hosts or the usable units;
/// the number of ranks if that is more.
int universe_of(const Options& options, const Topology& topology);

/// Whether check_placement() can find an error.
bool places_are_limited(const Placement& placement);

/// Throws UsageError for CPUs that cannot be used, and for more ranks than the placement has room for.
void check_placement(const Options& options, const Topology& topology);

}  // namespace bowline::launcher
