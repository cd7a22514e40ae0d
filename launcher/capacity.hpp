// SPDX-License-Identifier: BSD-3-Clause
// How many ranks the command line asks for where it does not say so, and whether the machine has places for them.
#pragma once
#include "launcher/host_topology.hpp"
#include "launcher/job_options.hpp"

namespace bowline::launcher {

/// Where a single program has no -n: the number that -N, --map-by ppr or the slots of named hosts give. Throws
/// UsageError for more ranks than -N allows. Reads the machine's topology only where it decides.
void count_ranks(Options& options);

/// Whether check_placement() can find anything.
bool places_are_limited(const Placement& placement);

/// Throws UsageError for CPUs that cannot be used, and for more ranks than the placement has room for.
void check_placement(const Options& options, const Topology& topology);

}  // namespace bowline::launcher
