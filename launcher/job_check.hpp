// SPDX-License-Identifier: BSD-3-Clause
// The checks of a job before any process is started.
#pragma once
#include <cstdint>

#include "launcher/job/job.hpp"

namespace bowline::launcher {

/// Counts the ranks, finds the programs and checks hosts, directories and permissions. Throws UsageError.
Job check_job(Options options);

/// The number of processes that this user can have on this machine, and the name of the limit.
struct ProcessLimit {
  std::int64_t most;
  const char* set_by;
};
ProcessLimit process_limit();

/// Throws UsageError for more ranks than can ever run. Call before anything is allocated for each rank.
void check_ranks(const Options& options, const ProcessLimit& limit);

/// The path for exec: `name` itself if it has a slash (relative to `wdir`), otherwise its first match in `path`. Throws
/// UsageError if the program does not exist, is a directory or may not be executed.
std::string find_program(const std::string& name, const std::string& wdir, const std::string& path);

/// Whether hosts are named and each of them is this machine.
bool names_only_this_host(const std::vector<Host>& hosts);

/// This machine's name as in uname -n.
std::string host_name();

}  // namespace bowline::launcher
