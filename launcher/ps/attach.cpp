// SPDX-License-Identifier: BSD-3-Clause
// See attach.hpp.
#include "launcher/ps/attach.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "launcher/exec.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

std::vector<DebuggedRank> ranks_to_debug(std::span<const RunningJob> jobs, std::span<const int> wanted) {
  if (jobs.size() > 1) {
    throw UsageError("--attach: {} jobs run here; add the process id of one, such as {}", jobs.size(),
                     jobs.front().named_by());
  }
  const RunningJob& job = jobs.front();
  const std::vector<RankView> views = job.ranks();
  std::vector<DebuggedRank> found;
  for (const int rank : wanted) {
    const auto number = std::ranges::lower_bound(job.numbers, rank);
    if (number == job.numbers.end() || *number != rank) {
      throw UsageError("--attach={}: the job has no such rank on this machine; bowline-ps {} lists those that it has",
                       rank, job.named_by());
    }
    const RankView& view = views[static_cast<std::size_t>(number - job.numbers.begin())];
    if (view.stage == RankStage::ended) throw UsageError("--attach={}: this rank has ended; name one that runs", rank);
    if (view.stage != RankStage::initialized)
      throw UsageError("--attach={}: MPI has not started in this rank, so its process is unknown; try again", rank);
    found.push_back({.rank = rank, .process = view.line.process});
  }
  return found;
}

void attach_gdb(std::span<const DebuggedRank> ranks) {
  const GdbPlace place = choose_gdb_place("--attach", ranks.size());
  if (place == GdbPlace::terminal) exec_command(gdb_command(ranks.front(), false), false);
  const std::string session = fmt::format("bowline-{}", getpid());
  open_in_tmux(place, session, ranks, false);
  if (place == GdbPlace::tmux_session) fmt::print("{}\n", session_notice(session, ranks));
}

}  // namespace bowline::launcher
