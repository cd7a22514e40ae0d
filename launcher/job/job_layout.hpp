// SPDX-License-Identifier: BSD-3-Clause
// The description of a job that the PMIx clients of its ranks get.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "launcher/job/rank_id.hpp"

namespace bowline::launcher {

class PmixInfoList;

/// The ranks of a job and their places, in the order of the ranks.
struct JobLayout {
  int number;                    ///< number of the job among the jobs of the server
  int universe;                  ///< number of processes that the job and those that it spawns can have
  std::optional<RankId> parent;  ///< the rank that has spawned the job
  std::string host;
  std::vector<int> app_of_rank;   ///< index of the program on the command line
  std::vector<std::string> cpus;  ///< per rank, a list such as "0-3,8"; empty: not bound
};

/// Adds what PMIx tells about the job. `name`: the name of the job's namespace; `scratch`: directory for temporary
/// files, empty if there is none. Throws LaunchError.
void describe(PmixInfoList& job, const std::string& name, const JobLayout& layout, const std::string& scratch);

}  // namespace bowline::launcher
