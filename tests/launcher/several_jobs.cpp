// SPDX-License-Identifier: BSD-3-Clause
// Runs several jobs in one event loop with one PMIx server, as mpiexec runs its one job.
//
//   several_jobs [--when FILE] JOB : [--when FILE] JOB : ...
//
// A JOB is what follows mpiexec on its command line, without colons. A job with --when is added once the file exists,
// while the others run; the others are added at the start, in the order of the command line. Each rank finds the names
// and sizes of all jobs in BOWLINE_TEST_JOBS, as in "name0:2,name1:3". The exit status is that of EventLoop::status().
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
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
  std::string when;  ///< the file for which it waits; empty: none
};

Planned plan(std::vector<std::string> arguments) {
  std::string when;
  if (arguments.size() >= 2 && arguments[0] == "--when") {
    when = arguments[1];
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  launcher::Parsed parsed = launcher::parse_options(arguments);
  launcher::choose_libraries(parsed.options);
  return {.job = launcher::check_job(std::move(parsed.options)), .when = std::move(when)};
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
    for (launcher::App& app : each.job.options.apps) app.environment.emplace_back("BOWLINE_TEST_JOBS", all);
  }
  return jobs;
}

int run(launcher::EventLoop& loop, std::vector<Planned> waiting) {
  launcher::JobInput input{.fd = STDIN_FILENO};
  do {
    std::erase_if(waiting, [&](const Planned& each) {
      if (!each.when.empty() && !std::filesystem::exists(each.when)) return false;
      loop.add(each.job, std::exchange(input, {}), each.name);
      return true;
    });
    if (waiting.empty()) return loop.run();
    loop.step(file_check);
  } while (!loop.finished());
  fmt::print(stderr, "several_jobs: all other jobs have ended before {} existed\n", waiting.front().when);
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
