// SPDX-License-Identifier: BSD-3-Clause
// How a job begins: cores are chosen, PMIx is told, and each rank gets its streams and is started.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "launcher/environment.hpp"
#include "launcher/error.hpp"
#include "launcher/job.hpp"
#include "launcher/process.hpp"

namespace bowline::launcher {

void JobRunner::start_ranks() {
  const BindingPlan plan = plan_binding(job_.options, topology_, threads_per_rank(std::getenv("OMP_NUM_THREADS")),
                                        [this](int first_cpu) { return claims_.claim(first_cpu); });
  if (plan.ranks[0].list.empty()) claims_.release();
  JobLayout layout{.host = job_.host, .app_of_rank = {}, .cpus = {}};
  for (size_t app = 0; app < job_.options.apps.size(); ++app) {
    layout.app_of_rank.insert(layout.app_of_rank.end(), static_cast<size_t>(job_.options.apps[app].ranks),
                              static_cast<int>(app));
  }
  for (const Binding& binding : plan.ranks) layout.cpus.push_back(binding.list);
  pmix_.register_job(layout);
  if (job_.options.report_bindings || job_.options.verbose) say("binding: " + plan.reason);

  const size_t count = layout.app_of_rank.size();
  if (job_.options.verbose)
    say(fmt::format("starting {} ranks on {}; PMIx's files are in {}", count, job_.host, job_.scratch.string()));
  ranks_.resize(count);
  streams_.reserve(2 * count);
  for (size_t rank = 0; rank < count; ++rank) {
    start_rank(static_cast<int>(rank), layout.app_of_rank[rank], plan.ranks[rank]);
    if (job_.options.report_bindings) report(plan.ranks[rank], static_cast<int>(rank));
  }
}

void JobRunner::start_rank(int rank, int app, const Binding& binding) {
  const App& what = job_.options.apps[static_cast<size_t>(app)];
  const int out = open_output(rank, "out", out_);
  const int err = open_output(rank, "err", err_);
  std::vector<std::string> wireup = pmix_.environment(rank);
  if (const std::string& handler = job_.options.initial_errhandler; !handler.empty()) {
    wireup.push_back("BOWLINE_INITIAL_ERRHANDLER=" + handler);
  }
  ranks_[static_cast<size_t>(rank)] = {.pid = start_process({.program = job_.programs[static_cast<size_t>(app)],
                                                             .arguments = what.command,
                                                             .environment = rank_environment(wireup, what.environment),
                                                             .wdir = what.wdir,
                                                             .stdin_fd = rank == 0 ? link_.stdin_fd : null_fd_,
                                                             .stdout_fd = out,
                                                             .stderr_fd = err,
                                                             .cpu_mask = binding.mask,
                                                             .rank = rank}),
                                       .alive = true};
  close(out);
  close(err);
  // Only rank 0 holds its input now, so that whoever writes it sees when the rank is gone.
  if (rank == 0) dup2(null_fd_, link_.stdin_fd);
}

/// Returns what the rank writes to; unless that is a file, the other end becomes one of streams_.
int JobRunner::open_output(int rank, const char* stream, Sink& sink) {
  if (!job_.options.output_dir.empty()) {
    const std::string path = fmt::format("{}/rank.{}.{}", job_.options.output_dir, rank, stream);
    const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) throw LaunchError("cannot write {}: {}", path, strerror(errno));
    return fd;
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    throw LaunchError("cannot start rank {}: pipe: {}; raise the limit on open files (ulimit -n)", rank,
                      strerror(errno));
  }
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  std::string tag = job_.options.tag_output ? fmt::format("[{}]<std{}> ", rank, stream) : "";
  streams_.push_back({.fd = ends[0], .rank = rank, .cutter = LineCutter(std::move(tag)), .sink = &sink});
  return ends[1];
}

void JobRunner::report(const Binding& binding, int rank) {
  say(fmt::format("rank {} on {}, process {}: {}", rank, job_.host, ranks_[static_cast<size_t>(rank)].pid,
                  binding.list.empty() ? "not bound" : "CPUs " + binding.list));
}

}  // namespace bowline::launcher
