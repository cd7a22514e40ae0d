// SPDX-License-Identifier: BSD-3-Clause
// The limits of this system on the number of ranks, by their names.
#pragma once
#include <sys/resource.h>

#include <cstdint>
#include <string>
#include <vector>

#include "launcher/job_options.hpp"
#include "node/control_groups.hpp"

namespace bowline::launcher {

/// A limit on a resource of which each rank needs some.
struct Limit {
  std::string name;               ///< as in "at most 400 by NAME"
  std::string what;               ///< the name of the resource, as in "a job of 500 ranks needs 501 WHAT"
  std::int64_t most;              ///< the most units of the resource that may exist
  std::int64_t used = 0;          ///< units that exist already and do not belong to the job
  std::int64_t fixed = 0;         ///< units that the job needs besides the units for each rank
  std::int64_t each = 1;          ///< for each rank
  std::string how_to_raise = {};  ///< empty: only the administrator can
};

/// The limits on processes, open files and memory that apply to a job with these options. `read` reads files of the
/// system; tests pass their own.
std::vector<Limit> job_limits(const Options& options, const node::ReadFile& read = node::read_system_file);

/// Throws UsageError if the options ask for more ranks than the limits leave room for. Call before anything is
/// allocated for each rank.
void check_limits(const Options& options, const std::vector<Limit>& limits);

/// Raises this process's soft limit on open files to the hard limit. Returns the former limit, for the ranks: programs
/// that use select() rely on a low soft limit.
rlimit raise_open_files();

}  // namespace bowline::launcher
