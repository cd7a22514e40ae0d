// SPDX-License-Identifier: BSD-3-Clause
// bowline-ps: what the ranks of running jobs do. It reads memory into which ranks write what they wait for, or the
// memory of ranks and their core files, or the files of their flight recorders, and disturbs nobody, unless it is to
// attach gdb to ranks.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "launcher/flight/flight_output.hpp"
#include "launcher/ps/attach.hpp"
#include "launcher/ps/ps_options.hpp"
#include "launcher/ps/ps_output.hpp"
#include "launcher/ps/queues_output.hpp"
#include "launcher/ps/rank_queues.hpp"
#include "launcher/ps/recording.hpp"
#include "launcher/ps/running_jobs.hpp"
#include "launcher/usage_error.hpp"
#include "node/host.hpp"

namespace {

namespace launcher = bowline::launcher;

constexpr int status_no_job = 1;

std::string describe(const std::vector<launcher::RunningJob>& jobs, const launcher::PsOptions& wanted) {
  const auto now = std::chrono::steady_clock::now();
  const std::string host(bowline::node::host_name());
  return wanted.json ? launcher::in_json(jobs, host, now) : launcher::in_words(jobs, wanted.grouped, host, now);
}

int tell_no_job(const launcher::PsOptions& wanted) {
  fmt::print(stderr, "bowline-ps: {}\n",
             wanted.processes.empty()
                 ? "no job runs here that this user may look at"
                 : fmt::format("process {} is no mpiexec, and no rank that srun or another launcher has started, with "
                               "a job that this user may look at",
                               wanted.processes.front()));
  return status_no_job;
}

int print_queues(const launcher::PsOptions& wanted) {
  const std::vector<launcher::RankQueues> ranks = launcher::queues_of(wanted.processes, wanted.cores);
  if (ranks.empty()) return tell_no_job(wanted);
  const std::string host(bowline::node::host_name());
  fmt::print("{}", wanted.json ? launcher::queues_in_json(ranks, host) : launcher::queues_in_words(ranks));
  if (std::fflush(stdout) != 0) return EXIT_FAILURE;
  for (const launcher::RankQueues& rank : ranks) {
    if (!rank.problem.empty()) fmt::print(stderr, "bowline-ps: {}\n", rank.problem);
  }
  return std::ranges::all_of(ranks, [](const auto& rank) { return rank.problem.empty(); }) ? 0 : EXIT_FAILURE;
}

int attach(const launcher::PsOptions& wanted) {
  const std::vector<launcher::RunningJob> jobs = launcher::running_jobs(wanted.processes);
  if (jobs.empty()) return tell_no_job(wanted);
  launcher::attach_gdb(launcher::ranks_to_debug(jobs, wanted.attached));
  return 0;
}

int write_recording(const launcher::PsOptions& wanted) {
  const std::vector<launcher::RunningJob> jobs = launcher::running_jobs(wanted.processes);
  if (jobs.empty()) return tell_no_job(wanted);
  for (const std::string& problem :
       launcher::write_flight(launcher::recorder_folder(jobs), {.running = true}, wanted.record))
    fmt::print(stderr, "bowline-ps: {}\n", problem);
  return 0;
}

int print_waits(const launcher::PsOptions& wanted) {
  constexpr const char* clear_screen = "\x1b[H\x1b[J";
  for (bool first = true;; first = false) {
    const std::vector<launcher::RunningJob> jobs = launcher::running_jobs(wanted.processes);
    if (jobs.empty() && first) return tell_no_job(wanted);
    const bool clears = wanted.watch && !wanted.json && isatty(STDOUT_FILENO) != 0;
    fmt::print("{}{}", clears ? clear_screen : "", jobs.empty() ? "" : describe(jobs, wanted));
    if (std::fflush(stdout) != 0) return EXIT_FAILURE;
    if (!wanted.watch || jobs.empty()) return 0;
    std::this_thread::sleep_for(*wanted.watch);
  }
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const launcher::PsOptions wanted = launcher::parse_ps_options(arguments);
    if (!wanted.attached.empty()) return attach(wanted);
    if (!wanted.record.empty()) return write_recording(wanted);
    if (!wanted.help) return wanted.queues ? print_queues(wanted) : print_waits(wanted);
    fmt::print("{}", *wanted.help);
    return 0;
  } catch (const launcher::UsageError& error) {
    fmt::print(stderr, "bowline-ps: {}\n", error.what());
    return launcher::status_bad_input;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bowline-ps: {}\n", error.what());
    return EXIT_FAILURE;
  }
}
