// SPDX-License-Identifier: BSD-3-Clause
// The start of a job: chooses cores, registers the job with PMIx, and starts each rank with its streams.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "launcher/environment.hpp"
#include "launcher/job/job.hpp"
#include "launcher/job/other_libraries.hpp"
#include "launcher/job/rank_process.hpp"
#include "launcher/pattern.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

namespace {

constexpr std::chrono::milliseconds start_slice{5};  // of the event loop's time; the start of a rank takes about 1 ms

bool is_regular_file(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

void JobRunner::prepare_start() {
  BindingPlan plan = plan_binding(job_.options, topology_, threads_per_rank(std::getenv("OMP_NUM_THREADS")),
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
  if (job_.options.display_allocation) {
    say(fmt::format("allocation: {} with {} cores, CPUs {}", job_.host, topology_.objects(HWLOC_OBJ_CORE).size(),
                    cpu_list(topology_.usable())));
  }
  if (job_.options.display_map) show_map(layout, plan);

  const size_t count = layout.app_of_rank.size();
  if (job_.options.verbose)
    say(fmt::format("starting {} ranks on {}; {}", count, job_.host,
                    job_.scratch.empty() ? "no directory for the files of the job can be made"
                                         : "the files of the job are in " + job_.scratch.string()));
  ranks_.resize(count);
  if (job_.options.timeout_s) board_.emplace(count);
  streams_.reserve(2 * count);
  start_.emplace(Start{.layout = std::move(layout), .plan = std::move(plan)});
}

/// Starts ranks for a short time, so that the event loop soon sees signals and output again.
void JobRunner::start_some() {
  const auto until = Clock::now() + start_slice;
  while (start_ && Clock::now() < until) {
    const std::size_t rank = start_->next++;
    const Binding& binding = start_->plan.ranks[rank];
    start_rank(static_cast<int>(rank), start_->layout.app_of_rank[rank], binding);
    if (job_.options.report_bindings) report(binding, static_cast<int>(rank));
    if (start_->next == ranks_.size()) start_.reset();
  }
}

void JobRunner::start_rank(int rank, int app, const Binding& binding) {
  const App& what = job_.options.apps[static_cast<size_t>(app)];
  const int out = open_output(rank, "stdout", job_.options.files.out, out_, job_.options.line_buffered.value_or(true));
  const int err = job_.options.merge_stderr ? fcntl(out, F_DUPFD_CLOEXEC, 0)
                                            : open_output(rank, "stderr", job_.options.files.err, err_, false);
  if (err < 0) throw LaunchError("cannot start rank {}: {}", rank, strerror(errno));
  const int in = input_of(rank);
  std::vector<std::string> wireup = pmix_.environment(rank);
  if (const std::string& handler = job_.options.initial_errhandler; !handler.empty()) {
    wireup.push_back("BOWLINE_INITIAL_ERRHANDLER=" + handler);
  }
  std::vector<int> kept;
  if (board_) {
    wireup.push_back(board_->variable(rank));
    kept.push_back(board_->descriptor());
  }
  if (relays_.folder() >= 0) {
    wireup.push_back(relays_.variable());
    kept.push_back(relays_.folder());
  }
  if (!job_.scratch.empty()) wireup.push_back(library_report_variable(job_.scratch, rank));
  ranks_[static_cast<size_t>(rank)] = {
      .pid = start_process({.program = job_.programs[static_cast<size_t>(app)],
                            .arguments = what.command,
                            .environment = rank_environment(what.inherit.value_or(true), wireup, what.environment),
                            .wdir = what.wdir,
                            .stdin_fd = in,
                            .stdout_fd = out,
                            .stderr_fd = err,
                            .kept_fds = std::move(kept),
                            .cpu_mask = binding.mask,
                            .open_files = open_files_,
                            .rank = rank}),
      .alive = true};
  close(out);
  close(err);
  if (job_.options.stdin_rank == Options::stdin_all) close(in);
  // Only the rank holds its input now, so that the writer of the input notices when the rank is gone.
  if (rank == job_.options.stdin_rank) dup2(null_fd_, link_.stdin_fd);
}

/// The standard input of the rank. If all ranks read it, each gets a file description of its own and reads from the
/// beginning (copy_input() has copied the input to a file).
int JobRunner::input_of(int rank) const {
  if (job_.options.stdin_rank == Options::stdin_all) {
    const int fd = open(fmt::format("/proc/self/fd/{}", link_.stdin_fd).c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) throw LaunchError("cannot open the standard input of rank {}: {}", rank, strerror(errno));
    return fd;
  }
  return rank == job_.options.stdin_rank ? link_.stdin_fd : null_fd_;
}

/// Opens a file to which a rank writes. Ranks whose pattern gives the same name append to one file.
int JobRunner::open_file(const std::string& path) {
  const bool first = files_.insert(path).second;
  std::error_code error;  // open() reports a directory that could not be made
  if (!job_.options.files.directory.empty())
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | (first ? O_TRUNC : 0) | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) throw LaunchError("cannot write {}: {}", path, strerror(errno));
  return fd;
}

/// Returns the descriptor to which the rank writes: a file, or a channel whose other end becomes one of streams_. With
/// `by_line` each line arrives when the rank writes it; a regular file then needs the channel, too, because the rank's
/// libraries hold back what goes into a file.
int JobRunner::open_output(int rank, const char* stream, const std::string& pattern, Sink& sink, bool by_line) {
  const PatternValues values{.rank = rank, .ranks = job_.options.ranks(), .host = job_.host, .stream = stream};
  const int file = pattern.empty() ? -1 : open_file(expand(pattern, values));
  const bool forwarded = file < 0 || job_.options.files.forwarded;
  if (!forwarded && !(by_line && is_regular_file(file))) return file;
  const OutputChannel channel = open_channel(rank, by_line);
  streams_.push_back({.fd = channel.reader,
                      .terminal = channel.terminal,
                      .file_fd = file,
                      .rank = rank,
                      .cutter = LineCutter(expand(job_.options.tag, values)),
                      .sink = forwarded ? &sink : nullptr});
  return channel.writer;
}

OutputChannel JobRunner::open_channel(int rank, bool by_line) {
  if (!by_line) return open_pipe(rank);
  std::string reason;
  const OutputChannel channel = open_terminal(rank, reason);
  if (!channel.terminal && !std::exchange(warned_of_pipe_, true)) {
    say(fmt::format(
        "rank {} gets a pipe for its output, and may hold back lines until it ends, because no pseudo-terminal can be "
        "opened ({}): mount devpts and raise kernel.pty.max, or accept it with --stream-buffering full",
        rank, reason));
  }
  return channel;
}

void JobRunner::show_map(const JobLayout& layout, const BindingPlan& plan) {
  say(fmt::format("map: {} on {}: ranks 0 to {}", job_.options.apps.size() == 1 ? "one program" : "several programs",
                  job_.host, layout.app_of_rank.size() - 1));
  for (size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    const App& app = job_.options.apps[static_cast<size_t>(layout.app_of_rank[rank])];
    const std::string& list = plan.ranks[rank].list;
    say(fmt::format("map: rank {} runs {} on {}", rank, app.command[0], list.empty() ? "any CPU" : "CPUs " + list));
  }
  // The map precedes the output of the ranks, as far as the consumer takes it now.
  err_.flush();
}

void JobRunner::report(const Binding& binding, int rank) {
  say(fmt::format("rank {} on {}, process {}: {}", rank, job_.host, ranks_[static_cast<size_t>(rank)].pid,
                  binding.list.empty() ? "not bound" : "CPUs " + binding.list));
}

}  // namespace bowline::launcher
