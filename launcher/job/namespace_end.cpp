// SPDX-License-Identifier: BSD-3-Clause
// How a job is ended, and what is left to do when its ranks are gone.
#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "launcher/debug/held_process.hpp"
#include "launcher/job/namespace.hpp"
#include "launcher/job/other_libraries.hpp"
#include "launcher/job/rank_process.hpp"
#include "launcher/signals.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

using namespace std::chrono_literals;

namespace {

constexpr int kills_before_gdb = 20;
constexpr auto kill_again = 50ms;  // interval, for processes that were being forked while others were killed

}  // namespace

// ---- the reasons -------------------------------------------------------------------------------------------------

/// Every failure of a rank comes here. The event loop then ends the jobs that this one has spawned.
void Namespace::end(int status, const std::string& sentence) {
  if (status_) return;
  status_ = status;
  reason_ = sentence;
  start_.reset();
  say(sentence);
  if (ProcessTable* const table = debuggers().processes) table->tell_failure(sentence);
  if (requested_ == 0) {
    signal_ranks(SIGTERM);
    signal_ranks(SIGCONT);
  }
  kill_at(term_to_kill);
}

void Namespace::take_back(const std::string& sentence) {
  taken_back_ = true;
  status_ = status_launch_failed;
  reason_ = sentence;
  start_.reset();
  output_.finish();
  kill_at(0ms);
}

bool Namespace::request_end(int signal) {
  if (requested_ != 0 || status_) {
    if (!status_) status_ = 128 + signal;
    kill_at(0ms);
    return false;
  }
  requested_ = signal;
  if (is_one_waiting()) tell_waits();
  signal_ranks(signal);
  signal_ranks(SIGCONT);
  if (start_) {
    // The ranks that have been started cannot finish without the remaining ranks, so they get no time to end by
    // themselves.
    end(128 + signal, fmt::format("ended by signal {} when {} of {} ranks had been started", describe_signal(signal),
                                  start_->next, ranks_.size()));
  } else {
    kill_at(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(job_.options.grace_s)));
  }
  return true;
}

void Namespace::abandon() {
  status_ = 128 + SIGKILL;
  start_.reset();
  kill_at(0ms);
}

void Namespace::time_out(const TimeLimit& limit) {
  if (closed_ || status_) return;
  const std::vector<std::string> lines = waits();  // first, because the end of the ranks changes what they wait for
  end(status_timed_out, fmt::format("the job ran longer than {} {} s; {} of {} ranks were still running", limit.name,
                                    limit.seconds, alive(), ranks_.size()));
  for (const std::string& line : lines) say(line);
}

/// If the consumer of the output has gone, only ranks that continue to write end: by SIGPIPE, at once if they write to
/// a pipe, when their next bytes are read otherwise.
void Namespace::stop_writing_to(const Sink& sink) {
  if (sink.error() != EPIPE && sink.error() != ECONNRESET) {
    end(status_output_lost, fmt::format("cannot write to standard {}: {}; the job is ended",
                                        &sink == &context_.out ? "output" : "error", strerror(sink.error())));
  }
  output_.close_pipes_to(sink);
}

// ---- signals and timers ------------------------------------------------------------------------------------------

void Namespace::signal_ranks(int signal) const {
  for (const Rank& rank : ranks_) {
    if (rank.alive) kill(-rank.pid, signal);
  }
}

void Namespace::signal_handlers(int signal) const {
  for (const Rank& rank : ranks_) {
    if (rank.alive && survives(rank.pid, signal)) kill(-rank.pid, signal);
  }
}

/// Sends a signal to every process of this job. If no other job runs, these are all descendants; otherwise the
/// processes that a rank or the environment shows to belong to this job. The last job ends all remaining processes.
void Namespace::signal_processes(int signal) const {
  if (is_alone()) return signal_descendants(signal);
  signal_ranks(signal);
  for (const pid_t pid : descendants_of(name_)) kill(pid, signal);
}

std::optional<Namespace::Clock::time_point> Namespace::deadline() const {
  std::optional<Clock::time_point> next;
  for (const auto& each :
       {kill_at_, kill_some_at_, judge_at_, look_at_, judge_hang_at_, chaos_at_, output_.deadline()}) {
    if (each && (!next || *each < *next)) next = each;
  }
  return next;
}

void Namespace::on_timers(Clock::time_point now) {
  if (judge_at_ && now >= *judge_at_) judge_abort();
  if (judge_hang_at_ && now >= *judge_hang_at_) judge_hang(now);
  if (chaos_at_ && now >= *chaos_at_) try_chaos(now);
  output_.on_timer(now);
  if (kill_some_at_ && now >= *kill_some_at_) {
    kill_some_at_.reset();
    for (const Rank& rank : ranks_) {
      if (rank.alive && rank.aborted) kill(-rank.pid, SIGKILL);
    }
  }
  if (kill_at_ && now >= *kill_at_) {
    signal_processes(SIGKILL);
    if (requested_ != 0 && !status_ && alive() > 0) {
      say(fmt::format("the ranks did not end within {} s of signal {} and were killed", job_.options.grace_s,
                      describe_signal(requested_)));
      status_ = 128 + requested_;
    }
    if (++kills_ > kills_before_gdb) {
      for (const Rank& rank : ranks_) {
        if (rank.alive) end_gdb_of(rank.pid);
      }
    }
    kill_at(kill_again);
  }
}

// ---- the last steps ----------------------------------------------------------------------------------------------

bool Namespace::try_to_close() {
  if (closed_) return true;
  if (start_ || alive() > 0) return false;
  if (has_processes()) {
    if (!ending_leftovers_ && !status_) {
      signal_processes(SIGTERM);
      kill_at(term_to_kill);
    }
    ending_leftovers_ = true;
    return false;
  }
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) output_.drain(rank);
  output_.finish();
  kill_at_.reset();
  look_at_.reset();
  judge_hang_at_.reset();
  chaos_at_.reset();
  closed_ = true;
  --context_.open_jobs;
  if (!taken_back_) {
    if (chaos_ && !chaos_->has_begun() && !status_)
      context_.say("nothing was done: some ranks have not called MPI_Init, which from=start does not wait for",
                   chaos_->name());
    judge_calls();
    tell_of_other_libraries();
  }
  // mpiexec removes all files at its end; until then it may run any number of spawned jobs.
  if (origin_) remove_library_reports(context_.settings.scratch, number_, static_cast<int>(ranks_.size()));
  return true;
}

/// Whether a process of this job is left. While other jobs run, the function looks through /proc, so it does not look
/// again at once.
bool Namespace::has_processes() {
  if (is_alone()) return has_children();
  if (look_at_ && Clock::now() < *look_at_) return true;
  look_at_.reset();
  if (descendants_of(name_).empty()) return false;
  look_at_ = Clock::now() + kill_again;
  return true;
}

int Namespace::alive() const {
  return static_cast<int>(std::ranges::count_if(ranks_, [](const Rank& rank) { return rank.alive; }));
}

void Namespace::say(const std::string& sentence) {
  context_.say(number_ == 0 ? sentence : fmt::format("job {}: {}", number_, sentence));
}

/// Warns if ranks have run as jobs of their own with another MPI library.
void Namespace::tell_of_other_libraries() {
  std::vector<int> apart;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].initialized && !ranks_[rank].finalized) apart.push_back(static_cast<int>(rank));
  }
  const std::string warning = describe_other_libraries(context_.settings.scratch, number_, apart);
  if (!warning.empty()) say(warning);
}

}  // namespace bowline::launcher
