// SPDX-License-Identifier: BSD-3-Clause
// EventLoop: what ranks ask for, and the jobs that they spawn.
#include <signal.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "launcher/job/event_loop.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

/// The index of the program that the rank runs.
int app_of(const Job& job, int rank) {
  int app = 0;
  for (int first = 0; (first += job.options.apps.at(static_cast<size_t>(app)).ranks) <= rank;) ++app;
  return app;
}

Answer::Status status_of(SpawnError::Kind kind) {
  if (kind == SpawnError::Kind::no_program) return Answer::Status::no_program;
  return kind == SpawnError::Kind::no_place ? Answer::Status::no_place : Answer::Status::cannot_start;
}

SpawnError without_app(const std::string& sentence) {
  return {SpawnError::Kind::cannot_start, -1, sentence};
}

}  // namespace

/// Requests of ranks that have ended meanwhile are dropped.
void EventLoop::handle_requests() {
  for (RankRequest& request : std::exchange(requests_, {})) {
    const Namespace* const job = find(request.of.job);
    if (job == nullptr || !job->is_alive(request.of.rank)) continue;
    if (std::holds_alternative<SpawnRequest>(request.what))
      spawn(std::move(request));
    else
      names_.handle(std::move(request), Clock::now());
  }
}

// ---- the start of spawned jobs -----------------------------------------------------------------------------------

/// The answer follows when all ranks have been started.
void EventLoop::spawn(RankRequest request) {
  const Namespace& asking = *find(request.of.job);
  const auto& what = std::get<SpawnRequest>(request.what);
  try {
    if (asking.is_about_to_end() || requested_ != 0 || timed_out_ || owner_gone_)
      throw without_app("the job that asks for further processes is being ended; none are started any more");
    Job job = job_for(what,
                      {.job = asking.job(),
                       .app = app_of(asking.job(), request.of.rank),
                       .universe = asking.universe(),
                       .replaces = asking.has_freed_cores()},
                      added_);
    const Namespace& added =
        add(std::move(job), {}, new_namespace_name(), Origin{.rank = request.of, .outlives = what.outlives});
    starting_.emplace_back(added.name(), std::move(request));
  } catch (const SpawnError& error) {
    refuse(request, error);
  } catch (const std::exception& error) {  // LaunchError, or of the system
    refuse(request, without_app(error.what()));
  }
}

void EventLoop::refuse(const RankRequest& request, const SpawnError& error) {
  names_.set_spawn_error(request.of, fmt::format("{} {}", error.app, error.what()));
  request.answer({.status = status_of(error.kind)});
}

/// A job that has been taken back is answered for when nothing is left of it.
void EventLoop::answer_started() {
  std::erase_if(starting_, [this](const auto& each) {
    const auto& [name, request] = each;
    const Namespace* const job = find(name);
    if (job == nullptr || job->starting() || job->is_taken_back()) return false;
    const std::string& token = std::get<SpawnRequest>(request.what).token;
    names_.on_spawned(name, request.of.job, token);
    names_.set_spawn_error(request.of, std::nullopt);
    const Namespace* const asking = find(request.of.job);
    if (asking != nullptr && asking->is_alive(request.of.rank))
      request.answer({.job = token.empty() ? name : brief_answer});
    return true;
  });
}

// ---- their end ---------------------------------------------------------------------------------------------------

/// Ends the jobs whose origin has failed, unless they outlive it, and the jobs that they have spawned themselves. If
/// the user has asked for the end, all jobs know that already.
void EventLoop::end_spawned() {
  if (requested_ != 0) return;
  for (bool ended = true; std::exchange(ended, false);) {
    for (const auto& job : jobs_) {
      if (!job->origin() || job->origin()->outlives || job->has_failed() || job->is_closed()) continue;
      const Namespace* const spawner = find(job->origin()->rank.job);
      if (spawner == nullptr || !spawner->has_failed()) continue;
      job->end(128 + SIGTERM,
               fmt::format("is ended, because job {}, which has spawned it, has failed", spawner->number()));
      ended = true;
    }
  }
}

/// The job's own jobs become those of the job that has spawned it.
void EventLoop::on_retired(const Namespace& job) {
  for (const auto& each : jobs_) {
    if (!each || !each->origin() || each->origin()->rank.job != job.name()) continue;
    Origin origin = job.origin().value_or(Origin{});
    origin.outlives = origin.outlives || each->origin()->outlives;
    each->set_origin(std::move(origin));
  }
  std::erase_if(starting_, [&](const auto& each) {
    const auto& [name, request] = each;
    if (name != job.name()) return false;
    refuse(request, without_app(job.reason()));
    return true;
  });
  names_.on_job_end(job.name(), fmt::format("{} {}", job.status(), job.reason()));
}

}  // namespace bowline::launcher
