// SPDX-License-Identifier: BSD-3-Clause
// bowline-ps --record: what the ranks of a running job have done last.
#pragma once

#include <filesystem>
#include <span>

#include "launcher/ps/running_jobs.hpp"

namespace bowline::launcher {

/// The folder into which the ranks of the job write their last events. Throws UsageError if there are several jobs, or
/// the job keeps no events.
std::filesystem::path recorder_folder(std::span<const RunningJob> jobs);

}  // namespace bowline::launcher
