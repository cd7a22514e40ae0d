// SPDX-License-Identifier: BSD-3-Clause
// See event_loop.hpp.
#include "launcher/job/event_loop.hpp"

#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "launcher/signals.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

using namespace std::chrono_literals;

namespace {

constexpr auto last_words = 2s;  // for output whose consumer does not read, once the user has requested the end

}  // namespace

EventLoop::EventLoop(LaunchSettings settings, int owner_fd) : context_(std::move(settings)), owner_fd_(owner_fd) {
  const sigset_t signals = block_signals();
  signal_fd_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signal_fd_ < 0) throw LaunchError("cannot open signalfd: {}", strerror(errno));
}

EventLoop::~EventLoop() {
  close(signal_fd_);
}

Namespace& EventLoop::add(Job job, const JobInput& input, std::string name) {
  Namespace& added =
      *jobs_.emplace_back(std::make_unique<Namespace>(context_, std::move(job), std::move(name), added_, input));
  ++added_;
  if (requested_ != 0) added.request_end(requested_);
  if (timed_out_) added.time_out(*context_.settings.limit);
  return added;
}

Namespace* EventLoop::find(const std::string& name) const {
  const auto job = std::ranges::find_if(jobs_, [&](const auto& each) { return each->name() == name; });
  return job == jobs_.end() ? nullptr : job->get();
}

int EventLoop::run() {
  while (!finished()) step();
  return status();
}

int EventLoop::status() const {
  for (const auto& job : jobs_) {
    if (failed_ && failed_->first < job->number()) break;
    if (job->status() != 0) return job->status();
  }
  return failed_ ? failed_->second : 0;
}

// ---- one step ----------------------------------------------------------------------------------------------------

void EventLoop::step(std::optional<std::chrono::milliseconds> longest) {
  if (!std::exchange(started_, true) && context_.settings.limit) {
    timeout_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(context_.settings.limit->seconds));
  }
  std::vector<pollfd> fds = {{.fd = signal_fd_, .events = POLLIN, .revents = 0},
                             {.fd = owner_gone_ ? -1 : owner_fd_, .events = POLLIN, .revents = 0},
                             {.fd = context_.pmix.event_fd(), .events = POLLIN, .revents = 0},
                             {.fd = context_.relays.listener(), .events = POLLIN, .revents = 0},
                             {.fd = context_.out.empty() ? -1 : context_.out.fd(), .events = POLLOUT, .revents = 0},
                             {.fd = context_.err.empty() ? -1 : context_.err.fd(), .events = POLLOUT, .revents = 0}};
  std::vector<size_t> begins;  // of each job's streams
  for (const auto& job : jobs_) {
    begins.push_back(fds.size());
    job->output().add_to(fds);
  }
  begins.push_back(fds.size());
  if (poll(fds.data(), fds.size(), wait_ms(longest)) < 0 && errno != EINTR)
    throw LaunchError("poll: {}", strerror(errno));

  for (size_t i = 0; i < jobs_.size(); ++i) {
    jobs_[i]->output().read_ready(std::span(fds).subspan(begins[i], begins[i + 1] - begins[i]));
  }
  if (fds[2].revents != 0) on_pmix();
  if (fds[3].revents != 0) on_relays();
  if (fds[0].revents != 0) on_signals();
  if (fds[1].revents != 0) {
    owner_gone_ = true;
    for (const auto& job : jobs_) job->abandon();
  }
  on_timers();
  flush_sinks();
  start_some();
}

int EventLoop::wait_ms(std::optional<std::chrono::milliseconds> longest) const {
  std::optional<Clock::time_point> next;
  const auto consider = [&next](const std::optional<Clock::time_point>& deadline) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  };
  consider(timeout_at_);
  consider(drop_output_at_);
  if (longest) consider(Clock::now() + *longest);
  for (const auto& job : jobs_) {
    if (job->starting()) return 0;
    consider(job->deadline());
  }
  if (!next) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now());
  return static_cast<int>(std::clamp<long>(left.count(), 0, 1'000'000));
}

/// If a rank cannot be started, its job fails; if there is no other job, mpiexec itself fails.
void EventLoop::start_some() {
  for (const auto& job : jobs_) {
    if (!job->starting()) continue;
    try {
      job->start_some();
    } catch (const LaunchError& error) {
      if (context_.open_jobs == 1) throw;
      job->end(status_launch_failed, error.what());
    }
  }
}

// ---- events ------------------------------------------------------------------------------------------------------

void EventLoop::on_signals() {
  signalfd_siginfo info;
  while (read(signal_fd_, &info, sizeof info) == sizeof info) {
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) {
      on_children();
    } else if (asks_to_end(signal)) {
      on_end_request(signal);
    } else if (asks_for_waits(signal)) {
      on_question(signal);
    } else {
      for (const auto& job : jobs_) job->signal_ranks(signal);
    }
  }
}

/// SIGUSR1 may also be for the programs. SIGQUIT is for mpiexec alone.
void EventLoop::on_question(int signal) {
  for (const auto& job : jobs_) {
    job->tell_waits();
    if (signal == SIGUSR1) job->signal_handlers(signal);
  }
}

/// The output that remains is dropped some time after the first request, and at once after the second one.
void EventLoop::on_end_request(int signal) {
  if (requested_ == 0) requested_ = signal;
  bool first = false;
  for (const auto& job : jobs_) first = job->request_end(signal) || first;
  drop_output_at_ = Clock::now() + (first ? last_words : 0s);
}

void EventLoop::on_children() {
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (const auto& job : jobs_) {
      const auto rank = job->rank_of(pid);  // none: the process is an orphan of a rank, or a relay
      if (!rank) continue;
      job->mark_ended(*rank);
      on_pmix();  // PMIx events of the rank precede its exit, so the events are in the queue by now
      job->on_exit(*rank, status);
      break;
    }
  }
}

void EventLoop::on_pmix() {
  for (const PmixEvent& event : context_.pmix.take_events()) {
    for (const auto& job : jobs_) {
      if (event.of.job == job->name()) {
        job->on_pmix(event);
      } else if (std::ranges::any_of(event.whom, [&](const RankId& each) { return each.job == job->name(); })) {
        job->on_foreign_abort(event);
      }
    }
  }
}

/// A relay belongs to no job until its rank has told it a name, and it ends with its rank.
void EventLoop::on_relays() {
  std::vector<std::string> server = context_.pmix.environment(jobs_.front()->name(), 0);
  std::erase_if(server, [](const std::string& variable) {
    return variable.starts_with("PMIX_NAMESPACE=") || variable.starts_with("PMIX_RANK=");
  });
  context_.relays.admit(server);
}

void EventLoop::on_timers() {
  const auto now = Clock::now();
  if (timeout_at_ && now >= *timeout_at_) {
    timeout_at_.reset();
    timed_out_ = true;
    for (const auto& job : jobs_) job->time_out(*context_.settings.limit);
  }
  for (const auto& job : jobs_) job->on_timers(now);
}

void EventLoop::flush_sinks() {
  for (Sink* sink : {&context_.out, &context_.err}) {
    sink->flush();
    if (sink->error() == 0) continue;
    for (const auto& job : jobs_) job->stop_writing_to(*sink);
  }
}

// ---- the end -----------------------------------------------------------------------------------------------------

bool EventLoop::finished() {
  retire_closed();
  if (context_.open_jobs > 0) return false;
  flush_sinks();
  if (owner_gone_ || (drop_output_at_ && Clock::now() >= *drop_output_at_)) return true;
  return context_.out.empty() && context_.err.empty();
}

/// Closes the jobs that have no process left, and forgets them while another job runs. The last job stays, because
/// events until its output is written may still change its status.
void EventLoop::retire_closed() {
  std::erase_if(jobs_, [this](const std::unique_ptr<Namespace>& job) {
    if (!job->try_to_close() || context_.open_jobs == 0) return false;
    if (job->status() != 0 && (!failed_ || job->number() < failed_->first)) failed_ = {job->number(), job->status()};
    context_.pmix.deregister_job(job->name());
    return true;
  });
}

}  // namespace bowline::launcher
