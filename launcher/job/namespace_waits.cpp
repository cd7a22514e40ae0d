// SPDX-License-Identifier: BSD-3-Clause
// Namespace: what its ranks wait for, asked for or because they wait for ever.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launcher/hang/calls_report.hpp"
#include "launcher/job/namespace.hpp"
#include "launcher/job/rank_process.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

constexpr std::chrono::seconds between_looks{1};  // at ranks that may wait for ever

}  // namespace

/// Whether a rank has used MPI. If none has, the ranks may run no MPI program.
bool Namespace::use_mpi() const {
  for (size_t rank = 0; rank < ranks_.size(); ++rank) {
    const bool known = ranks_[rank].initialized || ranks_[rank].finalized;
    if (known || board_->line(static_cast<int>(rank)).state != WaitSlot::State::unused) return true;
  }
  return false;
}

bool Namespace::is_one_waiting() const {
  const std::vector<RankView> all = views();
  return std::ranges::any_of(all, is_waiting);
}

std::vector<RankView> Namespace::views() const {
  std::vector<RankView> views;
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    views.push_back(
        {.stage = ranks_[rank].stage(), .line = board_->line(static_cast<int>(rank)), .lost = ranks_[rank].lost});
  return views;
}

/// No lines if no rank has used MPI.
std::vector<std::string> Namespace::waits() const {
  if (!use_mpi()) return {};
  std::vector<RankView> all = views();
  for (size_t rank = 0; rank < ranks_.size(); ++rank)
    all[rank].stopped =
        ranks_[rank].alive && is_stopped(all[rank].line.process != 0 ? all[rank].line.process : ranks_[rank].pid);
  add_places(all);
  return describe_waits(all, job_.host, Clock::now());
}

void Namespace::tell_waits() {
  if (closed_) return;
  const std::vector<std::string> lines = waits();
  if (lines.empty()) say("no rank has called MPI_Init");
  for (const std::string& line : lines) say(line);
}

void Namespace::judge_hang(Clock::time_point now) {
  judge_hang_at_ = now + between_looks;
  if (start_ || status_ || requested_ != 0 || !is_alone()) return;  // ranks of another job may be about to act
  std::vector<RankView> all = views();
  if (!hang_watch_->look(all, now)) return judge_stragglers(all, now);
  add_places(all);
  hang_watch_.reset();
  judge_hang_at_.reset();
  const bool ends = hang_settings_.action == HangSettings::Action::end;
  const bool relies_on_buffering = hang_settings_.buffering && std::ranges::any_of(all, [](const RankView& rank) {
                                     return is_waiting(rank) && waits_for_send(rank.line.text);
                                   });
  const std::string sentence = fmt::format(
      "deadlock: {} in MPI for what cannot happen any more, since nobody else is left to act and no message is under "
      "way{}{}",
      alive() == 1 ? "the last rank waits" : fmt::format("all {} ranks that have not ended wait", alive()),
      relies_on_buffering ? "; BOWLINE_CHECK lets standard sends wait until they are received" : "",
      ends ? "; the job is ended (BOWLINE_HANG=report lets it go on)" : "");
  ends ? end(status_deadlock, sentence) : say(sentence);
  if (const std::string cycle = describe_cycle(all); !cycle.empty()) say(cycle);
  for (const std::string& line : describe_waits(all, job_.host, now)) say(line);
}

/// Tells the user that most ranks wait for a few.
void Namespace::judge_stragglers(std::span<const RankView> all, Clock::time_point now) {
  const std::vector<int> stragglers = straggler_watch_.look(all, now);
  if (stragglers.empty()) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(straggler_watch_.told()).count();
  const bool single = stragglers.size() == 1;
  say(fmt::format(
      "the other ranks have waited in MPI for {} s and longer, but {} {} not wait in MPI: {} computes, polls or "
      "is stopped; this is told again after {} s",
      seconds, name_ranks(stragglers), single ? "does" : "do", single ? "it" : "each of them",
      StragglerWatch::factor * seconds));
  for (const std::string& line : waits()) say(line);
}

/// To be called when all ranks have ended. Nobody notices before that the last calls of the ranks were different if no
/// rank has waited in them for another one.
void Namespace::judge_calls() {
  if (status_ || requested_ != 0 || survivors_.has_lost()) return;
  std::vector<std::optional<WaitSlot::CallsMade>> calls;
  for (size_t rank = 0; rank < ranks_.size(); ++rank) calls.push_back(board_->calls(static_cast<int>(rank)));
  const std::vector<std::string> lines = describe_different_calls(calls, job_.host);
  if (lines.empty()) return;
  if (!result_) result_ = status_different_calls;
  if (reason_.empty()) reason_ = "the ranks have not called the same collectives";
  say("the ranks of MPI_COMM_WORLD have not called the same collectives in the same order with the same roots and "
      "operators (with BOWLINE_CHECK_COLLECTIVES=1 the first call that differs fails):");
  for (const std::string& line : lines) say(line);
}

}  // namespace bowline::launcher
