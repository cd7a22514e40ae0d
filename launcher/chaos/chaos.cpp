// SPDX-License-Identifier: BSD-3-Clause
// See chaos.hpp.
#include "launcher/chaos/chaos.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>

namespace bowline::launcher {
namespace {

using std::chrono::milliseconds;

/// "1.204"
std::string seconds_of(milliseconds time) {
  constexpr int second = 1000;
  return fmt::format("{}.{:03}", time.count() / second, time.count() % second);
}

std::string describe(const ChaosDeed& deed) {
  const std::string when = "after " + seconds_of(deed.at) + " s: ";
  switch (deed.kind) {
    case ChaosKind::kill:
      return when + fmt::format("killed rank {}", deed.rank);
    case ChaosKind::stop:
      return when + fmt::format("stopped rank {} for {} s", deed.rank, seconds_of(deed.duration));
    case ChaosKind::link:
      return when + fmt::format("broke the connection between ranks {} and {}", deed.rank, deed.other);
    case ChaosKind::delay:
      break;
  }
  return when + fmt::format("delayed rank {} for {} s", deed.rank, seconds_of(deed.duration));
}

}  // namespace

Chaos::Chaos(const ChaosSettings& settings, int ranks)
    : name_(fmt::format("mpiexec --chaos {}", settings.seed)),
      schedule_(settings, ranks),
      deed_(schedule_.next()),
      go_on_(static_cast<size_t>(ranks), milliseconds(0)) {}

std::optional<Chaos::Clock::time_point> Chaos::next() const {
  if (!since_) return std::nullopt;
  std::optional<milliseconds> first;
  if (deed_) first = deed_->at;
  for (const milliseconds end : go_on_) {
    if (end > milliseconds(0) && (!first || end < *first)) first = end;
  }
  return first ? std::optional(*since_ + *first) : std::nullopt;
}

ChaosStep Chaos::take_deed() {
  const ChaosDeed deed = *deed_;
  deed_ = schedule_.next();
  if (deed.kind == ChaosKind::link)
    return {.rank = deed.rank, .signal = 0, .sentence = describe(deed), .other = deed.other};
  const bool kills = deed.kind == ChaosKind::kill;
  go_on_[static_cast<size_t>(deed.rank)] = kills ? milliseconds(0) : deed.at + deed.duration;
  return {.rank = deed.rank, .signal = kills ? SIGKILL : SIGSTOP, .sentence = describe(deed)};
}

std::vector<ChaosStep> Chaos::take_due(Clock::time_point now) {
  std::vector<ChaosStep> steps;
  if (!since_) return steps;
  // First, because a rank that is late in going on may be stopped again by now.
  for (size_t rank = 0; rank < go_on_.size(); ++rank) {
    if (go_on_[rank] == milliseconds(0) || now < *since_ + go_on_[rank]) continue;
    go_on_[rank] = milliseconds(0);
    steps.push_back({.rank = static_cast<int>(rank), .signal = SIGCONT, .sentence = {}});
  }
  while (deed_ && now >= *since_ + deed_->at) steps.push_back(take_deed());
  return steps;
}

}  // namespace bowline::launcher
