// SPDX-License-Identifier: BSD-3-Clause
// Namespace: how a job goes on when a rank is lost (mpiexec --keep-going).
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <string>
#include <vector>

#include "launcher/job/namespace.hpp"
#include "launcher/job/pmix_losses.hpp"
#include "launcher/job/rank_failure.hpp"

namespace bowline::launcher {

int Namespace::status() const {
  if (taken_back_) return 0;
  return status_.value_or(std::max(result_.value_or(0), survivors_.status()));
}

/// Says at once that the rank is lost, and tells the others: on the wait board, and over PMIx.
void Namespace::lose(int rank, int status, const Failure& failure) {
  Rank& lost = ranks_[static_cast<size_t>(rank)];
  lost.lost = true;
  if (first_loss_.empty()) first_loss_ = failure.sentence;
  kill(-lost.pid, SIGKILL);  // what it has started
  tell_loss({.job = name_, .rank = rank}, WIFSIGNALED(status), failure.sentence);
  free_cores_of(rank);
  if (!has_started(rank) && !lost_before_start_) {
    lost_before_start_ = failure;
    end_without_start();
    if (status_) return;
  }
  const std::chrono::duration<double> age = Clock::now() - since_;
  say(fmt::format("{}, {:.1f} s after the start{}", failure.sentence, age.count(),
                  alive() > 0 || start_ ? "; the job goes on without it" : ""));
}

/// Whether MPI has started in the rank. Programs of other MPI libraries do not say so, only that they are connected.
bool Namespace::has_started(int rank) const {
  const Rank& each = ranks_[static_cast<size_t>(rank)];
  if (board_->line(rank).state != WaitSlot::State::unused) return board_->is_ready(rank);
  return each.initialized || each.finalized;
}

bool Namespace::is_connected(int rank) const {
  return ranks_[static_cast<size_t>(rank)].alive && ranks_[static_cast<size_t>(rank)].initialized;
}

/// Whether it is a rank of Bowline in MPI_Init.
bool Namespace::is_starting(int rank) const {
  return is_connected(rank) && board_->line(rank).state != WaitSlot::State::unused && !board_->is_ready(rank);
}

/// MPI_Init waits for all ranks of the job. A rank that leaves on purpose and never calls it may do so among ranks that
/// do not use MPI, or use it in another way.
void Namespace::end_without_start() {
  end_if_awaited(lost_before_start_, &Namespace::is_connected);
  end_if_awaited(left_before_start_, &Namespace::is_starting);
}

void Namespace::end_if_awaited(const std::optional<Failure>& absent, bool (Namespace::*waits)(int) const) {
  if (!absent || status_) return;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    if ((this->*waits)(rank)) {
      return end(absent->status, fmt::format("{} before MPI had started in it, for which the others wait{}",
                                             absent->sentence, others_ended(alive())));
    }
  }
}

/// Spawned jobs may use the cores of the rank, unless further ranks of this job are to run there.
void Namespace::free_cores_of(int rank) {
  if (start_) return;
  std::vector<const Binding*> others;
  for (const Rank& each : ranks_) {
    if (each.alive) others.push_back(&each.binding);
  }
  if (claims_.release_cores_of(ranks_[static_cast<size_t>(rank)].binding, others, context_.topology))
    has_freed_cores_ = true;
}

/// Whether an abort of these ranks leaves others in the job. Those that are lost do not count.
bool Namespace::spares_one(const std::vector<int>& ranks) const {
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    if (!ranks_[static_cast<size_t>(rank)].lost && std::ranges::find(ranks, rank) == ranks.end()) return true;
  }
  return false;
}

}  // namespace bowline::launcher
