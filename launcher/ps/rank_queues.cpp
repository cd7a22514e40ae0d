// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/ps/rank_queues.hpp"

#include <algorithm>

#include "launcher/ps/running_jobs.hpp"
#include "launcher/queues/core_file.hpp"
#include "launcher/queues/live_memory.hpp"
#include "launcher/queues/queue_error.hpp"
#include "launcher/queues/queue_walk.hpp"

namespace bowline::launcher {
namespace {

void read_into(RankQueues& rank, const ProcessMemory& memory) {
  rank.queues = read_queues(memory);
  rank.number = rank.queues->rank;
}

RankQueues queues_of_process(pid_t process, std::optional<int> number = {}) {
  RankQueues rank{.number = number, .process = process};
  try {
    read_into(rank, LiveMemory(process));
  } catch (const QueueError& error) {
    rank.problem = error.what();
  }
  return rank;
}

RankQueues queues_of_core(const std::string& path) {
  RankQueues rank{.core = path};
  try {
    const CoreFile core(path);
    rank.process = core.process();
    read_into(rank, core);
  } catch (const QueueError& error) {
    rank.problem = error.what();
  }
  return rank;
}

void add_ranks_of(const RunningJob& job, std::vector<RankQueues>& all) {
  const std::vector<RankView> ranks = job.ranks();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const RankView& rank = ranks[i];
    if (rank.stage == RankStage::initialized) {
      all.push_back(queues_of_process(rank.line.process, job.numbers[i]));
    } else {
      all.push_back({.number = job.numbers[i],
                     .process = rank.line.process,
                     .state = rank.stage == RankStage::ended ? "ended" : "starting"});
    }
  }
}

}  // namespace

std::vector<RankQueues> queues_of(std::span<const pid_t> processes, std::span<const std::string> cores) {
  std::vector<RankQueues> all;
  const bool whole_machine = processes.empty() && cores.empty();
  const std::vector<RunningJob> jobs =
      whole_machine || !processes.empty() ? running_jobs(processes) : std::vector<RunningJob>{};
  if (whole_machine) {
    for (const RunningJob& job : jobs) add_ranks_of(job, all);
  }
  for (const pid_t process : processes) {
    bool is_launcher = false;
    for (const RunningJob& job : jobs) {
      if (job.launcher != process) continue;
      is_launcher = true;
      add_ranks_of(job, all);
    }
    if (!is_launcher) all.push_back(queues_of_process(process));
  }
  std::ranges::transform(cores, std::back_inserter(all), queues_of_core);
  return all;
}

}  // namespace bowline::launcher
