// SPDX-License-Identifier: BSD-3-Clause
// Everything that can be found wrong before a process is started.
#pragma once
#include <cstdint>

#include "launcher/job/job.hpp"

namespace bowline::launcher {

/// Counts the ranks, finds the programs and checks hosts, directories and permissions. Throws UsageError.
Job check_job(Options options);

/// How many processes this machine can have, for this user, and what says so.
struct ProcessLimit {
  std::int64_t most;
  const char* set_by;
};
ProcessLimit process_limit();

/// Throws UsageError for more ranks than can ever run, before anything is made for each of them.
void check_ranks(const Options& options, const ProcessLimit& limit);

/// The path that exec will use: `name` itself when it has a slash (relative to `wdir`), else its first hit in `path`.
/// Throws UsageError when it does not exist, is a directory or may not be executed.
std::string find_program(const std::string& name, const std::string& wdir, const std::string& path);

/// Whether hosts are named and each of them is this machine.
bool names_only_this_host(const std::vector<Host>& hosts);

/// This machine's name as in uname -n.
std::string host_name();

}  // namespace bowline::launcher
