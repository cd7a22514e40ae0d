// SPDX-License-Identifier: BSD-3-Clause
// Runs several jobs in one event loop with one PMIx server, as mpiexec runs its one job.
//
//   several_jobs [--when FILE] [--ended FILE] JOB : [--when FILE] [--ended FILE] JOB : ...
//
// A JOB is what follows mpiexec on its command line, without colons. A job with --when is added once the file exists,
// while the others run; the others are added at the start, in the order of the command line. The file of --ended is
// made when the job has ended and others still run. Each rank finds the names and sizes of all jobs in
// TEST_JOBS, as in "name0:2,name1:3". The exit status is that of EventLoop::status().
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/abi/libraries.hpp"
#include "launcher/environment.hpp"
#include "launcher/job/event_loop.hpp"
#include "launcher/job/rank_process.hpp"
#include "launcher/job/scratch.hpp"
#include "launcher/job_check.hpp"
#include "launcher/signals.hpp"
#include "launcher/usage_error.hpp"

namespace launcher = bowline::launcher;

namespace {

constexpr std::chrono::milliseconds file_check{10};

struct Planned {
  launcher::Job job;
  std::string name = launcher::new_namespace_name();
  std::string when;   ///< the file for which it waits; empty: none
  std::string ended;  ///< the file that tells of its end; empty: none
  bool added = false;
};

Planned plan(std::vector<std::string> arguments) {
  Planned planned;
  for (const auto& [option, value] : {std::pair{"--when", &planned.when}, {"--ended", &planned.ended}}) {
    if (arguments.size() < 2 || arguments[0] != option) continue;
    *value = arguments[1];
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  launcher::Parsed parsed = launcher::parse_options(arguments);
  launcher::choose_libraries(parsed.options);
  planned.job = launcher::check_job(std::move(parsed.options));
  return planned;
}

std::vector<Planned> plan_all(const std::vector<std::string>& arguments) {
  std::vector<Planned> jobs;
  for (auto begin = arguments.begin();;) {
    const auto end = std::find(begin, arguments.end(), ":");
    jobs.push_back(plan({begin, end}));
    if (end == arguments.end()) break;
    begin = end + 1;
  }
  std::string all;
  for (const Planned& each : jobs)
    all += fmt::format("{}{}:{}", all.empty() ? "" : ",", each.name, each.job.options.ranks());
  for (Planned& each : jobs) {
    for (launcher::App& app : each.job.options.apps) app.environment.emplace_back("TEST_JOBS", all);
  }
  return jobs;
}

int run(launcher::EventLoop& loop, std::vector<Planned> jobs) {
  launcher::JobInput input{.fd = STDIN_FILENO};
  bool waiting = true;
  do {
    waiting = false;
    for (Planned& each : jobs) {
      if (!each.added && (each.when.empty() || std::filesystem::exists(each.when))) {
        loop.add(each.job, std::exchange(input, {}), each.name);
        each.added = true;
      } else if (each.added && !each.ended.empty() && loop.find(each.name) == nullptr) {
        std::ofstream(std::exchange(each.ended, ""));
      }
      waiting = waiting || !each.added;
    }
    loop.step(waiting ? std::optional(file_check) : std::nullopt);
  } while (!loop.finished());
  if (!waiting) return loop.status();
  fmt::print(stderr, "several_jobs: all jobs have ended before the file of --when existed\n");
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (launcher::is_relay(argc, argv)) return launcher::run_relay(argv);
  launcher::block_signals();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  int status = 1;
  launcher::Scratch scratch(
      launcher::scratch_places([](const char* name) -> const char* { return std::getenv(name); }));
  std::optional<launcher::EventLoop> loop;  // still exists at _exit, because PMIx's thread uses it
  try {
    std::vector<Planned> jobs = plan_all({argv + 1, argv + argc});
    launcher::forget_outer_job();
    loop.emplace(launcher::settings_for(jobs[0].job.options, scratch.make()), -1);
    status = run(*loop, std::move(jobs));
  } catch (const std::exception& error) {
    fmt::print(stderr, "several_jobs: {}\n", error.what());
  }
  launcher::end_descendants();
  scratch.remove();
  _exit(status);
}
