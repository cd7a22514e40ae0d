// SPDX-License-Identifier: BSD-3-Clause
// What the end and the abort of a rank mean for its job.
#include "launcher/job/namespace.hpp"

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

#include "launcher/job/rank_failure.hpp"
#include "launcher/job/rank_process.hpp"
#include "launcher/signals.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

using namespace std::chrono_literals;

namespace {

constexpr auto dying = 400ms;     // an abort waits so long for the end of a rank that is already dying
constexpr auto look_again = 2ms;  // interval of the checks whether the rank has ended

}  // namespace

// ---- the end of a rank -------------------------------------------------------------------------------------------

std::optional<int> Namespace::rank_of(pid_t pid) const {
  const auto rank = std::ranges::find_if(ranks_, [pid](const Rank& each) { return each.alive && each.pid == pid; });
  if (rank == ranks_.end()) return std::nullopt;
  return static_cast<int>(rank - ranks_.begin());
}

bool Namespace::is_alive(int rank) const {
  return rank >= 0 && rank < static_cast<int>(ranks_.size()) && ranks_[static_cast<size_t>(rank)].alive;
}

void Namespace::mark_ended(int rank) {
  ranks_[static_cast<size_t>(rank)].alive = false;
}

void Namespace::on_exit(int rank, int status) {
  output_.drain(rank);
  if (status_) return;
  const Rank& ended = ranks_[static_cast<size_t>(rank)];
  const std::optional<Failure> failure = describe_exit(rank, job_.host, status, ended.initialized);
  if (job_.options.keep_going) {
    const bool lost = ended.aborted || (failure && !(ended.finalized && WIFEXITED(status)));
    board_->tell_end(rank, {.lost = lost, .status = lost ? status : 0});
    if (!ended.aborted) survivors_.add(status, ended.initialized);
  }
  if (ended.aborted) return judge_abort();
  if (WIFSIGNALED(status) && WTERMSIG(status) == requested_) {
    end(128 + requested_, fmt::format("ended by signal {}", describe_signal(requested_)));
  } else if (failure) {
    if (ended.finalized && WIFEXITED(status)) return note_result(*failure);
    note_loss(rank, *failure);
    if (job_.options.keep_going && requested_ == 0) return lose(rank, status, *failure);
    const std::vector<std::string> others =
        has_crashed(status) && is_one_waiting() ? waits() : std::vector<std::string>();
    end(failure->status, failure->sentence + others_ended(alive()));
    for (const std::string& line : others) say(line);
  } else if (!has_started(rank) && !left_before_start_) {
    left_before_start_ = describe_leaving(rank, job_.host);
    end_without_start();
  }
}

/// Records the failure of a rank that has called MPI_Finalize. No rank waits for that rank, so the other ranks continue
/// to their end and their output is kept.
void Namespace::note_result(const Failure& failure) {
  if (result_) return;
  result_ = failure.status;
  reason_ = failure.sentence;
  say(failure.sentence);
}

/// For --record.
void Namespace::note_loss(int rank, const Failure& failure) {
  if (number_ == 0 && requested_ == 0 && !context_.first_loss)
    context_.first_loss = FirstLoss{.rank = rank, .sentence = failure.sentence};
}

// ---- PMIx --------------------------------------------------------------------------------------------------------

void Namespace::on_pmix(const PmixEvent& event) {
  if (event.of.rank < 0 || event.of.rank >= static_cast<int>(ranks_.size())) return;
  Rank& rank = ranks_[static_cast<size_t>(event.of.rank)];
  switch (event.kind) {
    case PmixEvent::Kind::connected:
      rank.initialized = true;
      rank.finalized = false;
      end_without_start();
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

void Namespace::on_abort(const PmixEvent& event) {
  const bool was_ended = std::exchange(ranks_[static_cast<size_t>(event.of.rank)].aborted, true);
  output_.drain(event.of.rank);
  const std::vector<int> ranks = named(event);
  if (spares_one(ranks)) {
    if (was_ended || status_) return;
    const Failure failure = describe_abort(event, job_.host);
    note_loss(event.of.rank, failure);
    if (!result_) reason_ = failure.sentence;
    say(failure.sentence + some_ended(static_cast<int>(ranks.size()) - 1 + foreigners(event)));
    return end_some(ranks, failure.status);
  }
  if (abort_) return;
  abort_ = event;
  judge_at_ = Clock::now();  // not at once: on_exit() may be about to report the death that caused the abort
  judge_until_ = *judge_at_ + dying;
}

/// The aborting rank, in the other namespace, has given the reason.
void Namespace::on_foreign_abort(const PmixEvent& event) {
  if (status_) return;
  const Failure failure = describe_abort(event, job_.host);
  if (!result_) reason_ = failure.sentence;
  end_some(named(event), failure.status);
}

/// The ranks of this namespace that an abort ends: the rank that calls it and the ranks that it names; all ranks if the
/// abort names none.
std::vector<int> Namespace::named(const PmixEvent& event) const {
  std::vector<int> result;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const auto is_this = [&](const RankId& each) { return each.rank == rank && each.job == name_; };
    if (event.whom.empty() || is_this(event.of) || std::ranges::any_of(event.whom, is_this)) result.push_back(rank);
  }
  return result;
}

/// The number of ranks of other namespaces that an abort ends.
int Namespace::foreigners(const PmixEvent& event) const {
  return static_cast<int>(std::ranges::count_if(event.whom, [this](const RankId& each) { return each.job != name_; }));
}

/// Ends the members of a communicator that has failed; the other ranks continue.
void Namespace::end_some(const std::vector<int>& ranks, int status) {
  if (!result_) result_ = status;
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
void Namespace::judge_abort() {
  judge_at_.reset();
  if (!abort_ || status_) return;
  const bool other_cause =
      std::ranges::any_of(ranks_, [](const Rank& r) { return r.alive && !r.aborted && is_ending(r.pid); });
  if (other_cause && Clock::now() < *judge_until_) {
    judge_at_ = Clock::now() + look_again;
    return;
  }
  const Failure failure = describe_abort(*abort_, job_.host);
  note_loss(abort_->of.rank, failure);
  const bool gone = !ranks_[static_cast<size_t>(abort_->of.rank)].alive;
  end(failure.status, failure.sentence + others_ended(alive() - (gone ? 0 : 1) + foreigners(*abort_)));
}

}  // namespace bowline::launcher
