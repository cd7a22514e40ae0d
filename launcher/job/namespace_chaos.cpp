// SPDX-License-Identifier: BSD-3-Clause
// Namespace: kills, stops and delays its ranks, and breaks connections between them (mpiexec --chaos).
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <system_error>

#include "launcher/chaos/connections.hpp"
#include "launcher/job/namespace.hpp"

namespace bowline::launcher {
namespace {

constexpr std::chrono::milliseconds between_chaos_looks{5};  // at ranks that have not started

/// Breaks the connections of two ranks. Returns what is to be added to the sentence that says so.
std::string break_link(pid_t one, pid_t other) {
  try {
    return break_connections(one, other) == 0 ? ", but they have none over TCP" : "";
  } catch (const std::system_error& error) {
    return fmt::format(", but the system does not allow it ({})", error.what());
  }
}

}  // namespace

/// Whether all ranks can go on without each other.
bool Namespace::are_ready() const {
  if (start_) return false;
  if (job_.options.chaos->from_start) return true;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    if (!has_started(rank)) return false;
  }
  return true;
}

void Namespace::try_chaos(Clock::time_point now) {
  chaos_at_.reset();
  if (status_ || requested_ != 0 || closed_) return;
  if (!chaos_->has_begun()) {
    if (are_ready())
      chaos_->begin(now);
    else
      chaos_at_ = now + between_chaos_looks;
  }
  for (const ChaosStep& step : chaos_->take_due(now)) carry_out(step);
  if (!chaos_at_) chaos_at_ = chaos_->next();
}

/// Nothing happens to ranks that have ended, and the last rank is not killed.
void Namespace::carry_out(const ChaosStep& step) {
  const Rank& rank = ranks_[static_cast<size_t>(step.rank)];
  if (!rank.alive || (step.signal == SIGKILL && alive() < 2)) return;
  if (step.signal == 0) {
    const Rank& other = ranks_[static_cast<size_t>(step.other)];
    if (other.alive) context_.say(step.sentence + break_link(rank.pid, other.pid), chaos_->name());
    return;
  }
  if (!step.sentence.empty()) context_.say(step.sentence, chaos_->name());
  kill(-rank.pid, step.signal);
}

}  // namespace bowline::launcher
