// SPDX-License-Identifier: BSD-3-Clause
// What bowline-ps prints of running jobs.
#pragma once

#include <chrono>
#include <span>
#include <string>

#include "launcher/ps/running_jobs.hpp"

namespace bowline::launcher {

/// A line for each job, and below it a line for each rank, or for each group of ranks that do the same.
std::string in_words(std::span<const RunningJob> jobs, bool grouped, const std::string& host,
                     std::chrono::steady_clock::time_point now);

/// A document {"host", "jobs": [{"launcher", "command", "size", "ranks": [{"rank", "process", "state", ...}]}]}. A job
/// that mpiexec has not started has "name" in place of "launcher", and only the ranks that are here. "state" is
/// "starting", "running", "waiting", "stopped" or "ended". A rank that waits has "what", "seconds", "place" and
/// "waits_for": {"kind": "all", "any" or "outside", "ranks", "more"}.
std::string in_json(std::span<const RunningJob> jobs, const std::string& host,
                    std::chrono::steady_clock::time_point now);

}  // namespace bowline::launcher
