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
#include <iterator>
#include <utility>

#include "launcher/signals.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

EventLoop::EventLoop(LaunchSettings settings, int owner_fd)
    : context_(std::move(settings)), owner_fd_(owner_fd), end_descriptor_open_(context_.settings.end_descriptor >= 0) {
  const sigset_t signals = block_signals();
  signal_fd_ = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signal_fd_ < 0) throw LaunchError("cannot open signalfd: {}", strerror(errno));
}

EventLoop::~EventLoop() {
  close(signal_fd_);
}

Namespace& EventLoop::add(Job job, const JobInput& input, std::string name, std::optional<Origin> origin) {
  Namespace& added = *jobs_.emplace_back(
      std::make_unique<Namespace>(context_, std::move(job), std::move(name), added_, input, std::move(origin)));
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

// ---- one step ----------------------------------------------------------------------------------------------------

void EventLoop::step(std::optional<std::chrono::milliseconds> longest) {
  if (!std::exchange(started_, true) && context_.settings.limit) {
    timeout_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(context_.settings.limit->seconds));
  }
  std::vector<pollfd> fds = {
      {.fd = signal_fd_, .events = POLLIN, .revents = 0},
      {.fd = owner_gone_ ? -1 : owner_fd_, .events = POLLIN, .revents = 0},
      {.fd = context_.pmix.event_fd(), .events = POLLIN, .revents = 0},
      {.fd = context_.relays.listener(), .events = POLLIN, .revents = 0},
      {.fd = context_.out.empty() ? -1 : context_.out.fd(), .events = POLLOUT, .revents = 0},
      {.fd = context_.err.empty() ? -1 : context_.err.fd(), .events = POLLOUT, .revents = 0},
      {.fd = end_descriptor_open_ ? context_.settings.end_descriptor : -1, .events = POLLIN, .revents = 0}};
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
  if (fds[6].revents != 0) on_end_descriptor();
  on_timers();
  handle_requests();
  end_spawned();
  flush_sinks();
  start_some();
  answer_started();
}

int EventLoop::wait_ms(std::optional<std::chrono::milliseconds> longest) const {
  std::optional<Clock::time_point> next;
  const auto consider = [&next](const std::optional<Clock::time_point>& deadline) {
    if (deadline && (!next || *deadline < *next)) next = deadline;
  };
  consider(timeout_at_);
  consider(drop_output_at_);
  consider(names_.deadline());
  if (longest) consider(Clock::now() + *longest);
  for (const auto& job : jobs_) {
    if (job->starting()) return 0;
    consider(job->deadline());
  }
  if (!next) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*next - Clock::now());
  return static_cast<int>(std::clamp<long>(left.count(), 0, 1'000'000));
}

/// If a rank cannot be started, its job fails, or is taken back if a rank has asked for it; if there is no other job,
/// mpiexec itself fails.
void EventLoop::start_some() {
  for (const auto& job : jobs_) {
    if (!job->starting()) continue;
    try {
      job->start_some();
    } catch (const LaunchError& error) {
      if (job->origin()) {
        job->take_back(error.what());
        continue;
      }
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

void EventLoop::on_children() {
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    for (const auto& job : jobs_) {
      const auto rank = job->rank_of(pid);  // none: the process is an orphan of a rank, or a relay
      if (!rank) continue;
      job->mark_ended(*rank);
      on_pmix();  // PMIx events of the rank precede its exit, so the events are in the queue by now
      job->on_exit(*rank, status);
      names_.on_process_end({.job = job->name(), .rank = *rank});
      break;
    }
  }
}

void EventLoop::on_pmix() {
  const std::vector<PmixEvent> events = context_.pmix.take_events();
  std::ranges::move(context_.pmix.take_requests(), std::back_inserter(requests_));
  for (const PmixEvent& event : events) {
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
  names_.on_timer(now);
}

void EventLoop::flush_sinks() {
  for (Sink* sink : {&context_.out, &context_.err}) {
    sink->flush();
    if (sink->error() == 0) continue;
    for (const auto& job : jobs_) job->stop_writing_to(*sink);
  }
}

}  // namespace bowline::launcher
