// SPDX-License-Identifier: BSD-3-Clause
// The checks of a job before any process is started.
#pragma once
#include <string>
#include <vector>

#include "launcher/job/job.hpp"

namespace bowline::launcher {

/// Counts the ranks, finds the programs and checks hosts, directories and permissions. Throws UsageError.
Job check_job(Options options);

/// The path for exec: `name` itself if it has a slash (relative to `wdir`), otherwise its first match in `path`. Throws
/// UsageError if the program does not exist, is a directory or may not be executed.
std::string find_program(const std::string& name, const std::string& wdir, const std::string& path);

/// The path for exec of an app's program. Throws UsageError as find_program() does.
std::string program_of(const App& app);

/// Throws UsageError unless it is a directory in which a process can start.
void check_wdir(const std::string& wdir);

/// Whether hosts are named and each of these hosts is this machine.
bool names_only_this_host(const std::vector<Host>& hosts);

/// This machine's name as in uname -n.
std::string host_name();

}  // namespace bowline::launcher
