// SPDX-License-Identifier: BSD-3-Clause
// bowline-ps --attach: gdb for ranks of a running job.
#pragma once

#include <span>
#include <vector>

#include "launcher/debug/gdb.hpp"
#include "launcher/ps/running_jobs.hpp"

namespace bowline::launcher {

/// Finds the processes of these ranks. Throws UsageError if there are several jobs, or a rank cannot be debugged.
std::vector<DebuggedRank> ranks_to_debug(std::span<const RunningJob> jobs, std::span<const int> wanted);

/// Becomes gdb if it runs in this terminal; returns when its windows are open otherwise. Throws UsageError,
/// LaunchError.
void attach_gdb(std::span<const DebuggedRank> ranks);

}  // namespace bowline::launcher
