// SPDX-License-Identifier: BSD-3-Clause
// The event loop: ended ranks, signals and PMIx events.
#include "launcher/job/job.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "launcher/job/other_libraries.hpp"
#include "launcher/job/rank_failure.hpp"
#include "launcher/job/rank_process.hpp"
#include "launcher/places.hpp"
#include "launcher/signals.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

using namespace std::chrono_literals;

namespace {

constexpr auto term_to_kill = 400ms;  // a failed job is gone within a second
constexpr auto dying = 400ms;         // an abort waits so long for the end of a rank that is already dying
constexpr auto look_again = 2ms;      // interval of the checks whether it has ended
constexpr auto kill_again = 50ms;     // interval, for processes that were being forked while others were killed
constexpr auto last_words = 2s;       // for a consumer that does not read, once the user has requested the end

}  // namespace

JobRunner::JobRunner(const Job& job, const Link& link)
    : job_(job),
      link_(link),
      open_files_(raise_open_files()),
      out_(STDOUT_FILENO),
      err_(STDERR_FILENO),
      topology_(caches_for(job.options.placement)),
      pmix_(job.scratch, topology_),
      relays_(job.scratch) {
  const sigset_t signals = block_signals();
  signal_fd_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  null_fd_ = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (signal_fd_ < 0 || null_fd_ < 0) throw LaunchError("cannot open signalfd or /dev/null: {}", strerror(errno));
  prepare_start();
}

JobRunner::~JobRunner() {
  close(signal_fd_);
  close(null_fd_);
  for (const Stream& stream : streams_) {
    if (stream.fd >= 0) close(stream.fd);
    if (stream.file_fd >= 0) close(stream.file_fd);
  }
}

int JobRunner::run() {
  if (job_.options.timeout_s) {
    timeout_at_ = Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*job_.options.timeout_s));
  }
  while (!finished()) {
    poll_once();
    start_some();
  }
  return status_.value_or(result_.value_or(0));
}

// ---- the loop ----------------------------------------------------------------------------------------------------

void JobRunner::poll_once() {
  std::vector<pollfd> fds = {{.fd = signal_fd_, .events = POLLIN, .revents = 0},
                             {.fd = owner_gone_ ? -1 : link_.owner_fd, .events = POLLIN, .revents = 0},
                             {.fd = pmix_.event_fd(), .events = POLLIN, .revents = 0},
                             {.fd = relays_.listener(), .events = POLLIN, .revents = 0},
                             {.fd = out_.empty() ? -1 : out_.fd(), .events = POLLOUT, .revents = 0},
                             {.fd = err_.empty() ? -1 : err_.fd(), .events = POLLOUT, .revents = 0}};
  const size_t fixed = fds.size();
  for (const Stream& stream : streams_) {
    const bool full = stream.sink != nullptr && stream.sink->full();
    fds.push_back({.fd = full ? -1 : stream.fd, .events = POLLIN, .revents = 0});
  }
  if (poll(fds.data(), fds.size(), wait_ms()) < 0 && errno != EINTR) throw LaunchError("poll: {}", strerror(errno));

  for (size_t i = fixed; i < fds.size(); ++i) {
    if (fds[i].revents != 0) read_stream(streams_[i - fixed]);
  }
  if (fds[2].revents != 0) on_pmix();
  if (fds[3].revents != 0) relays_.admit(pmix_.environment(0));
  if (fds[0].revents != 0) on_signals();
  if (fds[1].revents != 0) {
    owner_gone_ = true;
    status_ = 128 + SIGKILL;
    start_.reset();
    kill_at(0ms);
  }
  on_timers();
  flush_sinks();
}

int JobRunner::wait_ms() {
  if (start_) return 0;
  std::optional<Clock::time_point> next;
  for (const auto& deadline : {timeout_at_, kill_at_, kill_some_at_, drop_output_at_, prompt_at_, judge_at_}) {
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
    time_out();
  }
  if (judge_at_ && now >= *judge_at_) judge_abort();
  if (prompt_at_ && now >= *prompt_at_) {
    prompt_at_.reset();
    streams_[0].cutter.show_partial(streams_[0].sink->queue());
  }
  if (kill_some_at_ && now >= *kill_some_at_) {
    kill_some_at_.reset();
    for (const Rank& rank : ranks_) {
      if (rank.alive && rank.aborted) kill(-rank.pid, SIGKILL);
    }
  }
  if (kill_at_ && now >= *kill_at_) {
    signal_descendants(SIGKILL);
    if (forwarded_ != 0 && !status_ && alive() > 0) {
      say(fmt::format("the ranks did not end within {} s of signal {} and were killed", job_.options.grace_s,
                      describe_signal(forwarded_)));
      status_ = 128 + forwarded_;
    }
    kill_at(kill_again);
  }
}

void JobRunner::time_out() {
  const std::vector<std::string> lines = waits();  // first: the end of the ranks changes what they wait for
  end_job(status_timed_out, fmt::format("the job ran longer than {} {} s; {} of {} ranks were still running",
                                        job_.options.timeout_name, *job_.options.timeout_s, alive(), ranks_.size()));
  for (const std::string& line : lines) say(line);
}

/// A line for each rank; none if no rank has used MPI, as if they run no MPI program.
std::vector<std::string> JobRunner::waits() const {
  std::vector<std::string> lines;
  bool uses_mpi = false;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    const WaitSlot::Line line = board_->line(static_cast<int>(rank));
    const Rank& told = ranks_[rank];
    uses_mpi = uses_mpi || line.state != WaitSlot::State::unused || told.initialized || told.finalized;
    lines.push_back(describe_wait(static_cast<int>(rank), job_.host, told.stage(), line, Clock::now()));
  }
  if (!uses_mpi) lines.clear();
  return lines;
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
  drop_output_at_ = Clock::now() + last_words;
  if (forwarded_ != 0 || status_) {  // the second request
    if (!status_) status_ = 128 + signal;
    drop_output_at_ = Clock::now();
    return kill_at(0ms);
  }
  forwarded_ = signal;
  signal_ranks(signal);
  signal_ranks(SIGCONT);
  if (start_) return give_up_start();
  kill_at(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(job_.options.grace_s)));
}

/// The signal came before all ranks were started. The ranks that have been started cannot finish without the others, so
/// they get no time for it.
void JobRunner::give_up_start() {
  end_job(128 + forwarded_, fmt::format("ended by signal {} when {} of {} ranks had been started",
                                        describe_signal(forwarded_), start_->next, ranks_.size()));
}

void JobRunner::on_children() {
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    const auto rank = std::find_if(ranks_.begin(), ranks_.end(), [pid](const Rank& r) { return r.pid == pid; });
    if (rank == ranks_.end() || !rank->alive) continue;  // an orphan of a rank
    rank->alive = false;
    on_pmix();  // PMIx events of the rank precede its exit, so they are in the queue by now
    on_exit(static_cast<int>(rank - ranks_.begin()), status);
  }
}

void JobRunner::on_exit(int rank, int status) {
  drain(rank);
  if (status_) return;
  const Rank& ended = ranks_[static_cast<size_t>(rank)];
  if (ended.aborted) return judge_abort();
  if (WIFSIGNALED(status) && WTERMSIG(status) == forwarded_) {
    end_job(128 + forwarded_, fmt::format("ended by signal {}", describe_signal(forwarded_)));
  } else if (const auto failure = describe_exit(rank, job_.host, status, ended.initialized)) {
    if (ended.finalized && WIFEXITED(status)) return note_result(*failure);
    end_job(failure->status, failure->sentence + others_ended(alive()));
  }
}

/// Records the failure of a rank that has called MPI_Finalize. No rank waits for it, so the others continue to their
/// end and their output is kept.
void JobRunner::note_result(const Failure& failure) {
  if (result_) return;
  result_ = failure.status;
  say(failure.sentence);
}

void JobRunner::on_pmix() {
  for (const PmixEvent& event : pmix_.take_events()) {
    if (event.rank < 0 || event.rank >= static_cast<int>(ranks_.size())) continue;
    Rank& rank = ranks_[static_cast<size_t>(event.rank)];
    switch (event.kind) {
      case PmixEvent::Kind::connected:
        rank.initialized = true;
        rank.finalized = false;
        break;
      case PmixEvent::Kind::finalized:
        rank.initialized = false;
        rank.finalized = true;
        break;
      case PmixEvent::Kind::aborted:
        on_abort(event);
        break;
    }
  }
}

void JobRunner::on_abort(const PmixEvent& event) {
  const bool was_ended = std::exchange(ranks_[static_cast<size_t>(event.rank)].aborted, true);
  drain(event.rank);
  const std::vector<int> ranks = victims(event);
  if (ranks.size() < ranks_.size()) {
    if (!was_ended) end_some(event, ranks);
    return;
  }
  if (abort_) return;
  abort_ = event;
  judge_at_ = Clock::now();  // not at once: on_exit() may be about to report the death that caused the abort
  judge_until_ = *judge_at_ + dying;
}

/// The ranks that an abort ends: the rank that calls it and the ranks that it names; all ranks if it names none.
std::vector<int> JobRunner::victims(const PmixEvent& event) const {
  std::vector<int> result;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const auto named = std::find(event.whom.begin(), event.whom.end(), rank);
    if (event.whom.empty() || rank == event.rank || named != event.whom.end()) result.push_back(rank);
  }
  return result;
}

/// Ends the members of a communicator that has failed; the other ranks continue.
void JobRunner::end_some(const PmixEvent& event, const std::vector<int>& ranks) {
  if (status_) return;
  const Failure failure = describe_abort(event, job_.host);
  if (!result_) result_ = failure.status;
  say(failure.sentence + some_ended(static_cast<int>(ranks.size()) - 1));
  for (const int rank : ranks) {
    Rank& ended = ranks_[static_cast<size_t>(rank)];
    ended.aborted = true;
    for (const int signal : {SIGTERM, SIGCONT}) {
      if (ended.alive) kill(-ended.pid, signal);
    }
  }
  kill_some_at_ = Clock::now() + term_to_kill;
}

/// Reports the first abort, unless another rank is the cause. A rank may abort because another one has died, and its
/// abort may arrive first. The user needs to know the cause, so mpiexec waits for ranks that are dying, and on_exit()
/// reports them.
void JobRunner::judge_abort() {
  judge_at_.reset();
  if (!abort_ || status_) return;
  const bool other_cause = std::any_of(ranks_.begin(), ranks_.end(),
                                       [](const Rank& r) { return r.alive && !r.aborted && is_ending(r.pid); });
  if (other_cause && Clock::now() < *judge_until_) {
    judge_at_ = Clock::now() + look_again;
    return;
  }
  const Failure failure = describe_abort(*abort_, job_.host);
  const bool gone = !ranks_[static_cast<size_t>(abort_->rank)].alive;
  end_job(failure.status, failure.sentence + others_ended(alive() - (gone ? 0 : 1)));
}

// ---- the end -----------------------------------------------------------------------------------------------------

/// Sets the job's status, once, and begins to end every rank.
void JobRunner::end_job(int status, const std::string& sentence) {
  if (status_) return;
  status_ = status;
  start_.reset();
  timeout_at_.reset();
  say(sentence);
  if (forwarded_ == 0) {
    signal_ranks(SIGTERM);
    signal_ranks(SIGCONT);
  }
  kill_at(term_to_kill);
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

/// Warns if ranks have run as jobs of their own with another MPI library.
void JobRunner::tell_of_other_libraries() {
  std::vector<int> apart;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].initialized && !ranks_[rank].finalized) apart.push_back(static_cast<int>(rank));
  }
  const std::string warning = describe_other_libraries(job_.scratch, apart);
  if (!warning.empty()) say(warning);
}

bool JobRunner::finished() {
  if (start_ || alive() > 0) return false;
  if (!drained_ && has_children()) {
    if (!ending_leftovers_ && !status_) {
      signal_descendants(SIGTERM);
      kill_at(term_to_kill);
    }
    ending_leftovers_ = true;
    return false;
  }
  if (!drained_) {
    // No process of this job writes any more. Other processes that hold a pipe are not waited for.
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) drain(rank);
    for (Stream& stream : streams_) finish_stream(stream);
    kill_at_.reset();
    timeout_at_.reset();
    drained_ = true;
    tell_of_other_libraries();
    flush_sinks();
  }
  if (owner_gone_ || (drop_output_at_ && Clock::now() >= *drop_output_at_)) return true;
  return out_.empty() && err_.empty();
}

}  // namespace bowline::launcher
