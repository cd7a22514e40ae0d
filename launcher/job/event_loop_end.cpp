// SPDX-License-Identifier: BSD-3-Clause
// EventLoop: how its jobs are ended, and what comes of them.
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "launcher/job/event_loop.hpp"

namespace bowline::launcher {

using namespace std::chrono_literals;

namespace {

constexpr auto last_words = 2s;  // for output whose consumer does not read, once the user has requested the end

}  // namespace

int EventLoop::status() const {
  for (const auto& job : jobs_) {
    if (failed_ && failed_->first < job->number()) break;
    if (job->status() != 0) return job->status();
  }
  return failed_ ? failed_->second : 0;
}

/// The output that remains is dropped some time after the first request, and at once after the second one.
void EventLoop::on_end_request(int signal) {
  if (requested_ == 0) requested_ = signal;
  bool first = false;
  for (const auto& job : jobs_) first = job->request_end(signal) || first;
  drop_output_at_ = Clock::now() + (first ? last_words : 0s);
}

/// What is written to the descriptor has no meaning.
void EventLoop::on_end_descriptor() {
  char bytes[4096];
  const ssize_t size = ::read(context_.settings.end_descriptor, bytes, sizeof bytes);
  if (size > 0 || (size < 0 && (errno == EAGAIN || errno == EINTR))) return;
  end_descriptor_open_ = false;
  context_.silent = true;
  on_end_request(SIGTERM);
}

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
    on_retired(*job);
    context_.pmix.deregister_job(job->name());
    return true;
  });
}

}  // namespace bowline::launcher
