// SPDX-License-Identifier: BSD-3-Clause
// The event loop: who died, who asked for what, whose output is ready.
#include "launcher/job.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "launcher/environment.hpp"
#include "launcher/error.hpp"
#include "launcher/process.hpp"
#include "launcher/signals.hpp"

namespace bowline::launcher {

using namespace std::chrono_literals;

namespace {

constexpr auto kTermToKill = 400ms;   // a failed job is gone within a second
constexpr auto kKillAgain = 50ms;     // for processes that were being forked while the others were killed
constexpr auto kPromptDelay = 100ms;  // silence after which an unfinished line is taken for a prompt
constexpr auto kLastWords = 2s;       // for a consumer that does not read while the user wants an end

std::string others_ended(int others) {
  if (others == 0) return "";
  return others == 1 ? "; the other rank is ended" : fmt::format("; the other {} ranks are ended", others);
}

/// A code whose low byte is zero would look like success.
int abort_status(int code) {
  return code != 0 && (code & 0xff) == 0 ? 1 : code & 0xff;
}

/// Bowline's ranks send a whole sentence that begins with who they are; other programs some words, or none.
std::string abort_sentence(const PmixEvent& event, const std::string& host) {
  std::string text = event.text;
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::string who = fmt::format("rank {} on {}", event.rank, host);
  if (text.starts_with(who)) return text;
  return fmt::format("{} called MPI_Abort with code {}{}{}", who, event.code, text.empty() ? "" : ": ", text);
}

}  // namespace

JobRunner::JobRunner(const Job& job, const Link& link)
    : job_(job), link_(link), out_(STDOUT_FILENO), err_(STDERR_FILENO), pmix_(job.scratch, topology_) {
  const sigset_t signals = block_signals();
  signal_fd_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  null_fd_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (signal_fd_ < 0 || null_fd_ < 0) throw LaunchError("cannot open signalfd or /dev/null: {}", strerror(errno));
}

JobRunner::~JobRunner() {
  close(signal_fd_);
  close(null_fd_);
  for (const Stream& stream : streams_) {
    if (stream.fd >= 0) close(stream.fd);
  }
}

int JobRunner::run() {
  start_ranks();
  if (job_.options.timeout_s) {
    timeout_at_ = Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*job_.options.timeout_s));
  }
  while (!finished()) poll_once();
  return status_.value_or(0);
}

// ---- start -------------------------------------------------------------------------------------------------------

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
  ranks_[static_cast<size_t>(rank)] = {
      .pid = start_process({.program = job_.programs[static_cast<size_t>(app)],
                            .arguments = what.command,
                            .environment = rank_environment(pmix_.environment(rank), what.environment),
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

// ---- the loop ----------------------------------------------------------------------------------------------------

void JobRunner::poll_once() {
  std::vector<pollfd> fds = {{.fd = signal_fd_, .events = POLLIN, .revents = 0},
                             {.fd = owner_gone_ ? -1 : link_.owner_fd, .events = POLLIN, .revents = 0},
                             {.fd = pmix_.event_fd(), .events = POLLIN, .revents = 0},
                             {.fd = out_.empty() ? -1 : out_.fd(), .events = POLLOUT, .revents = 0},
                             {.fd = err_.empty() ? -1 : err_.fd(), .events = POLLOUT, .revents = 0}};
  const size_t fixed = fds.size();
  for (const Stream& stream : streams_) {
    fds.push_back({.fd = stream.sink->full() ? -1 : stream.fd, .events = POLLIN, .revents = 0});
  }
  if (poll(fds.data(), fds.size(), wait_ms()) < 0 && errno != EINTR) throw LaunchError("poll: {}", strerror(errno));

  for (size_t i = fixed; i < fds.size(); ++i) {
    if (fds[i].revents != 0) read_stream(streams_[i - fixed]);
  }
  // A rank's "finalized" is posted before it can exit, so PMIx goes before the children.
  if (fds[2].revents != 0 || fds[0].revents != 0) on_pmix();
  if (fds[0].revents != 0) on_signals();
  if (fds[1].revents != 0) {
    owner_gone_ = true;
    status_ = 128 + SIGKILL;
    kill_at(0ms);
  }
  on_timers();
  for (Sink* sink : {&out_, &err_}) {
    sink->flush();
    if (!sink->broken()) continue;
    for (Stream& stream : streams_) {
      // Whoever writes on gets SIGPIPE, as it would without a launcher in between.
      if (stream.sink == sink && stream.fd >= 0) close(std::exchange(stream.fd, -1));
    }
  }
}

int JobRunner::wait_ms() {
  std::optional<Clock::time_point> next;
  for (const auto& deadline : {timeout_at_, kill_at_, drop_output_at_, prompt_at_}) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  }
  if (!next) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now());
  return static_cast<int>(std::clamp<long>(left.count(), 0, 1'000'000));
}

void JobRunner::on_timers() {
  const auto now = Clock::now();
  if (timeout_at_ && now >= *timeout_at_) {
    timeout_at_.reset();
    end_job(kTimedOut, fmt::format("the job ran longer than --timeout {} s; {} of {} ranks were still running",
                                   *job_.options.timeout_s, alive(), ranks_.size()));
  }
  if (prompt_at_ && now >= *prompt_at_) {
    prompt_at_.reset();
    streams_[0].cutter.show_partial(streams_[0].sink->queue());
  }
  if (kill_at_ && now >= *kill_at_) {
    signal_descendants(SIGKILL);
    if (forwarded_ != 0 && !status_ && alive() > 0) {
      say(fmt::format("the ranks did not end within {} s of signal {} and were killed", job_.options.grace_s,
                      describe_signal(forwarded_)));
      status_ = 128 + forwarded_;
    }
    kill_at(kKillAgain);
  }
}

bool JobRunner::read_stream(Stream& stream) {
  char buffer[1 << 16];
  const ssize_t size = read(stream.fd, buffer, sizeof buffer);
  if (size > 0) {
    stream.cutter.add({buffer, static_cast<size_t>(size)}, stream.sink->queue());
    if (link_.interactive && &stream == &streams_[0]) prompt_at_ = Clock::now() + kPromptDelay;
    return true;
  }
  if (size == 0 || (errno != EAGAIN && errno != EINTR)) finish_stream(stream);
  return false;
}

void JobRunner::finish_stream(Stream& stream) {
  stream.cutter.finish(stream.sink->queue());
  if (stream.fd >= 0) close(std::exchange(stream.fd, -1));
}

/// What a rank wrote before it died comes before what is said about its death. Others may still hold its pipe.
void JobRunner::drain(int rank) {
  for (Stream& stream : streams_) {
    if (stream.rank != rank) continue;
    for (int i = 0; i < 16 && stream.fd >= 0 && read_stream(stream); ++i) continue;
  }
}

// ---- events ------------------------------------------------------------------------------------------------------

void JobRunner::on_signals() {
  signalfd_siginfo info;
  while (read(signal_fd_, &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD)
      on_children();
    else
      forward(signal);
  }
}

void JobRunner::forward(int signal) {
  if (!asks_to_end(signal)) return signal_ranks(signal);
  drop_output_at_ = Clock::now() + kLastWords;
  if (forwarded_ != 0 || status_) {  // asked twice
    if (!status_) status_ = 128 + signal;
    drop_output_at_ = Clock::now();
    return kill_at(0ms);
  }
  forwarded_ = signal;
  signal_ranks(signal);
  signal_ranks(SIGCONT);
  kill_at(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(job_.options.grace_s)));
}

void JobRunner::on_children() {
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto rank = std::find_if(ranks_.begin(), ranks_.end(), [pid](const Rank& r) { return r.pid == pid; });
    if (rank == ranks_.end() || !rank->alive) continue;  // an orphan of a rank
    rank->alive = false;
    on_exit(static_cast<int>(rank - ranks_.begin()), status);
  }
}

void JobRunner::on_exit(int rank, int status) {
  drain(rank);
  if (status_) return;
  const Rank& state = ranks_[static_cast<size_t>(rank)];
  const std::string who = fmt::format("rank {} on {}", rank, job_.host);
  if (WIFSIGNALED(status)) {
    const int signal = WTERMSIG(status);
    if (signal == forwarded_) return end_job(128 + signal, fmt::format("ended by signal {}", describe_signal(signal)));
    end_job(128 + signal, fmt::format("{} was killed by signal {}{}{}", who, describe_signal(signal),
                                      WCOREDUMP(status) ? ", core dumped" : "", others_ended(alive())));
  } else if (WEXITSTATUS(status) != 0) {
    end_job(WEXITSTATUS(status), fmt::format("{} exited with status {}{}{}", who, WEXITSTATUS(status),
                                             state.initialized ? " without MPI_Finalize" : "", others_ended(alive())));
  } else if (state.initialized) {
    end_job(kNotFinalized,
            fmt::format("{} exited without MPI_Finalize after it had called MPI_Init{}", who, others_ended(alive())));
  }
}

void JobRunner::on_pmix() {
  for (const PmixEvent& event : pmix_.take_events()) {
    if (event.rank < 0 || event.rank >= static_cast<int>(ranks_.size())) continue;
    Rank& rank = ranks_[static_cast<size_t>(event.rank)];
    switch (event.kind) {
      case PmixEvent::Kind::connected:
        rank.initialized = true;
        break;
      case PmixEvent::Kind::finalized:
        rank.initialized = false;
        break;
      case PmixEvent::Kind::aborted:
        drain(event.rank);
        end_job(abort_status(event.code), abort_sentence(event, job_.host) + others_ended(alive() - 1));
        break;
    }
  }
}

// ---- the end -----------------------------------------------------------------------------------------------------

/// Decides the job's status, once, and begins to end every rank.
void JobRunner::end_job(int status, const std::string& sentence) {
  if (status_) return;
  status_ = status;
  timeout_at_.reset();
  say(sentence);
  if (forwarded_ == 0) {
    signal_ranks(SIGTERM);
    signal_ranks(SIGCONT);
  }
  kill_at(kTermToKill);
}

void JobRunner::kill_at(Clock::duration from_now) {
  kill_at_ = Clock::now() + from_now;
}

void JobRunner::signal_ranks(int signal) {
  for (const Rank& rank : ranks_) {
    if (rank.alive) kill(-rank.pid, signal);
  }
}

int JobRunner::alive() const {
  return static_cast<int>(std::count_if(ranks_.begin(), ranks_.end(), [](const Rank& r) { return r.alive; }));
}

void JobRunner::say(const std::string& sentence) {
  err_.queue() += "mpiexec: " + sentence + "\n";
}

bool JobRunner::finished() {
  if (alive() > 0) return false;
  if (!drained_ && has_children()) {
    if (!ending_leftovers_ && !status_) {
      signal_descendants(SIGTERM);
      kill_at(kTermToKill);
    }
    ending_leftovers_ = true;
    return false;
  }
  if (!drained_) {
    // Nobody of this job writes any more. What others were handed a pipe is not waited for.
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) drain(rank);
    for (Stream& stream : streams_) finish_stream(stream);
    kill_at_.reset();
    timeout_at_.reset();
    drained_ = true;
    out_.flush();
    err_.flush();
  }
  if (owner_gone_ || (drop_output_at_ && Clock::now() >= *drop_output_at_)) return true;
  return out_.empty() && err_.empty();
}

}  // namespace bowline::launcher
