// SPDX-License-Identifier: BSD-3-Clause
// The start of a job: chooses cores, registers the job with PMIx, and starts each rank with its streams.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/debugger_gate.hpp"
#include "base/keep_going.hpp"
#include "launcher/capacity.hpp"
#include "launcher/environment.hpp"
#include "launcher/job/job_records.hpp"
#include "launcher/job/namespace.hpp"
#include "launcher/job/other_libraries.hpp"
#include "launcher/job/rank_process.hpp"
#include "launcher/places.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

namespace {

constexpr std::chrono::milliseconds start_slice{5};  // of the event loop's time; the start of a rank takes about 1 ms

/// Throws LaunchError unless there are descriptors for the start of one more rank, and afterwards for a look through
/// /proc: mpiexec still has to end the job then, and other jobs are running.
void need_descriptors(int any, int rank) {
  std::array<int, 8> spare;
  std::ranges::generate(spare, [any] { return fcntl(any, F_DUPFD_CLOEXEC, 0); });
  const int error = errno;
  const bool enough = std::ranges::find(spare, -1) == spare.end();
  for (const int fd : spare) {
    if (fd >= 0) close(fd);
  }
  if (!enough)
    throw LaunchError("cannot start rank {}: {}; raise the limit on open files (ulimit -n)", rank, strerror(error));
}

JobLayout layout_of(const Namespace& of, const BindingPlan& plan) {
  const Job& job = of.job();
  JobLayout layout{.number = of.number(),
                   .universe = of.universe(),
                   .parent = of.origin() ? std::optional(of.origin()->rank) : std::nullopt,
                   .host = job.host,
                   .app_of_rank = {},
                   .cpus = {}};
  for (size_t app = 0; app < job.options.apps.size(); ++app) {
    layout.app_of_rank.insert(layout.app_of_rank.end(), static_cast<size_t>(job.options.apps[app].ranks),
                              static_cast<int>(app));
  }
  for (const Binding& binding : plan.ranks) layout.cpus.push_back(binding.list);
  return layout;
}

}  // namespace

Namespace::Namespace(LaunchContext& context, Job job, std::string name, int number, const JobInput& input,
                     std::optional<Origin> origin)
    : context_(context),
      job_(std::move(job)),
      name_(std::move(name)),
      number_(number),
      input_(input),
      origin_(std::move(origin)),
      universe_(universe_of(job_.options, context.topology)),
      claims_(context.cores),
      output_(job_.options, job_.host, context.out, context.err, input.interactive,
              {.say = [this](const std::string& sentence) { say(sentence); },
               .no_consumer =
                   [this](int rank) {
                     // The rank gets the signal that a write to a pipe would have caused, as without a launcher.
                     const Rank& writer = ranks_[static_cast<size_t>(rank)];
                     if (writer.alive) kill(-writer.pid, SIGPIPE);
                   },
               .lost =
                   [this] {
                     if (!result_) result_ = status_output_lost;
                   }}),
      hang_settings_(hang_settings(job_.options)),
      straggler_watch_(hang_settings_.suspicion) {
  BindingPlan chosen = plan();
  JobLayout layout = layout_of(*this, chosen);
  const size_t count = layout.app_of_rank.size();
  ranks_.resize(count);
  board_.emplace(count);
  if (hang_settings_.action != HangSettings::Action::off) {
    hang_watch_.emplace(hang_settings_.after);
    judge_hang_at_ = Clock::now() + hang_settings_.after;
  }
  if (job_.options.chaos) {
    chaos_.emplace(*job_.options.chaos, static_cast<int>(count));
    chaos_at_ = since_;
  }
  context_.pmix.register_job(name_, layout);
  announce(layout, chosen);
  start_.emplace(Start{.layout = std::move(layout), .plan = std::move(chosen)});
  ++context_.open_jobs;
}

BindingPlan Namespace::plan() {
  const int threads = threads_per_rank(std::getenv("OMP_NUM_THREADS"));
  const ClaimCore claim = [this](int first_cpu) { return claims_.claim(first_cpu); };
  const ClaimCore is_unused = [this](int first_cpu) { return !context_.cores.contains(first_cpu); };
  const Caches caches = caches_for(job_.options.placement);
  const bool lacks_caches = caches == Caches::included && context_.settings.caches == Caches::left_out;
  BindingPlan plan = lacks_caches ? plan_binding(job_.options, Topology(caches), threads, claim, is_unused)
                                  : plan_binding(job_.options, context_.topology, threads, claim, is_unused);
  if (plan.ranks[0].list.empty()) claims_.release();
  claims_.use(plan);
  return plan;
}

void Namespace::announce(const JobLayout& layout, const BindingPlan& plan) {
  if (job_.options.report_bindings || job_.options.verbose) say("binding: " + plan.reason);
  if (job_.options.display_allocation) {
    say(fmt::format("allocation: {} with {} cores, CPUs {}", job_.host,
                    context_.topology.objects(HWLOC_OBJ_CORE).size(), cpu_list(context_.topology.usable())));
  }
  if (job_.options.display_map) show_map(layout, plan);
  if (job_.options.verbose) {
    const std::string scratch = context_.settings.scratch.string();
    say(fmt::format("starting {} ranks on {}; {}", layout.app_of_rank.size(), job_.host,
                    scratch.empty() ? "no directory for the files of the job can be made"
                                    : "the files of the job are in " + scratch));
  }
}

void Namespace::show_map(const JobLayout& layout, const BindingPlan& plan) {
  say(fmt::format("map: {} on {}: ranks 0 to {}", job_.options.apps.size() == 1 ? "one program" : "several programs",
                  job_.host, layout.app_of_rank.size() - 1));
  for (size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    const App& app = job_.options.apps[static_cast<size_t>(layout.app_of_rank[rank])];
    const std::string& list = plan.ranks[rank].list;
    say(fmt::format("map: rank {} runs {} on {}", rank, app.command[0], list.empty() ? "any CPU" : "CPUs " + list));
  }
  // The map precedes the output of the ranks, as far as the consumer takes it now.
  context_.err.flush();
}

void Namespace::report(const Binding& binding, int rank) {
  say(fmt::format("rank {} on {}, process {}: {}", rank, job_.host, ranks_[static_cast<size_t>(rank)].pid,
                  binding.list.empty() ? "not bound" : "CPUs " + binding.list));
}

void Namespace::start_some() {
  const auto until = Clock::now() + start_slice;
  while (start_ && Clock::now() < until) {
    const std::size_t rank = start_->next++;
    const Binding& binding = start_->plan.ranks[rank];
    start_rank(static_cast<int>(rank), start_->layout.app_of_rank[rank], binding);
    if (job_.options.report_bindings) report(binding, static_cast<int>(rank));
    if (start_->next < ranks_.size()) continue;
    start_.reset();
    if (ProcessTable* const table = debuggers().processes) table->tell_started();
  }
}

void Namespace::start_rank(int rank, int app, const Binding& binding) {
  const App& what = job_.options.apps[static_cast<size_t>(app)];
  if (origin_) need_descriptors(context_.null_fd, rank);
  const auto [out, err] = output_.open(rank);
  const int in = input_of(rank);
  ranks_[static_cast<size_t>(rank)] = {
      .pid = start_process(
          {.program = job_.programs[static_cast<size_t>(app)],
           .arguments = what.command,
           .environment = rank_environment(what.inherit.value_or(true), wireup_of(rank), what.environment),
           .wdir = what.wdir,
           .stdin_fd = in,
           .stdout_fd = out,
           .stderr_fd = err,
           .kept_fds = inherited(),
           .cpu_mask = binding.mask,
           .open_files = context_.open_files,
           .rank = rank,
           .gate = holds(rank) ? debuggers().gate : -1}),
      .alive = true,
      .binding = binding};
  if (ProcessTable* const table = debuggers().processes) table->set(rank, ranks_[static_cast<size_t>(rank)].pid);
  close(out);
  close(err);
  if (input_.fd < 0) return;
  if (job_.options.stdin_rank == Options::stdin_all) close(in);
  // Only the rank holds its input now, so that the writer of the input notices when the rank is gone.
  if (rank == job_.options.stdin_rank) dup2(context_.null_fd, input_.fd);
}

/// The standard input of the rank. If all ranks read it, each gets a file description of its own and reads from the
/// beginning (mpiexec has copied the input to a file).
int Namespace::input_of(int rank) const {
  if (input_.fd < 0) return context_.null_fd;
  if (job_.options.stdin_rank == Options::stdin_all) {
    const int fd = open(fmt::format("/proc/self/fd/{}", input_.fd).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) throw LaunchError("cannot open the standard input of rank {}: {}", rank, strerror(errno));
    return fd;
  }
  return rank == job_.options.stdin_rank ? input_.fd : context_.null_fd;
}

/// The variables (NAME=VALUE) by which a rank finds the launcher.
std::vector<std::string> Namespace::wireup_of(int rank) const {
  std::vector<std::string> wireup = context_.pmix.environment(name_, rank);
  if (const std::string& handler = job_.options.initial_errhandler; !handler.empty()) {
    wireup.push_back("BOWLINE_INITIAL_ERRHANDLER=" + handler);
  }
  if (job_.options.keep_going) wireup.push_back(std::string(keep_going_variable) + "=1");
  wireup.push_back(board_->variable(rank));
  if (!job_.options.report.empty() && !context_.settings.scratch.empty())
    wireup.push_back(report_variable(context_.settings.scratch));
  if (!job_.options.record.empty()) wireup.push_back(record_variable(context_.settings.scratch));
  if (context_.relays.folder() >= 0) wireup.push_back(context_.relays.variable());
  if (debuggers().in_init) wireup.push_back(fmt::format("{}={}", debugger_gate_variable, debuggers().gate));
  if (const auto& scratch = context_.settings.scratch; !scratch.empty())
    wireup.push_back(library_report_variable(scratch, number_, rank));
  return wireup;
}

/// Debuggers know the first job only.
DebuggerAccess Namespace::debuggers() const {
  return number_ == 0 ? context_.settings.debuggers : DebuggerAccess{};
}

/// Whether the rank waits for gdb before it runs its program.
bool Namespace::holds(int rank) const {
  return debuggers().gate >= 0 && std::ranges::binary_search(job_.options.gdb_ranks, rank);
}

/// The descriptors that ranks inherit: those of the user, and those that variables of their environment name.
std::vector<int> Namespace::inherited() const {
  std::vector<int> result = context_.passed_on;
  result.push_back(board_->descriptor());
  if (context_.relays.folder() >= 0) result.push_back(context_.relays.folder());
  if (debuggers().in_init) result.push_back(debuggers().gate);
  return result;
}

}  // namespace bowline::launcher
