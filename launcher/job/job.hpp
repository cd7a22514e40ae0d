// SPDX-License-Identifier: BSD-3-Clause
// What is to be run.
#pragma once
#include <string>
#include <vector>

#include "launcher/job/rank_id.hpp"
#include "launcher/job_options.hpp"

namespace bowline::launcher {

/// A checked command line, and the values that were looked up for it.
struct Job {
  Options options;
  std::vector<std::string> programs;  ///< path of the executable, per app
  std::string host;                   ///< this machine's name
};

/// Which rank has spawned a job.
struct Origin {
  RankId rank;            ///< `job` is empty if that job has ended well, or the user has started the job
  bool outlives = false;  ///< the job goes on if that job fails
};

/// The standard input of a job.
struct JobInput {
  int fd = -1;  ///< read by the rank or ranks that options.stdin_rank names; -1: these ranks read /dev/null
  bool interactive = false;  ///< the input comes from a terminal: prompts are shown before their line ends
};

}  // namespace bowline::launcher
