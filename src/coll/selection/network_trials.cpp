// SPDX-License-Identifier: BSD-3-Clause
#include "coll/selection/network_trials.hpp"

#include <algorithm>
#include <bit>

#include "base/tuner.hpp"
#include "coll/slots/single_copy.hpp"
#include "coll/team/team.hpp"

namespace bowline::coll {
namespace {

constexpr std::array<Operation, NetworkTrials::operations_compared> compared = {
    Operation::bcast, Operation::gather, Operation::scatter, Operation::allgather, Operation::alltoall};

/// The numbers of blocking calls are modulo this.
constexpr auto calls = static_cast<std::uint32_t>(CallOrder::tags);
constexpr std::uint32_t since(std::uint32_t from, std::uint32_t call) noexcept {
  return (call - from) % calls;
}
constexpr bool has_come(std::uint32_t next, std::uint32_t call) noexcept {
  return since(next, call) < calls / 2;
}

}  // namespace

std::optional<std::size_t> NetworkTrial::measured(std::size_t turn) const noexcept {
  if (!open_ || turn >= ways_.count) return std::nullopt;
  return turn;
}

void NetworkTrial::took(std::size_t way, float seconds) noexcept {
  Measured& times = measured_[way];
  times.least = std::min(times.least, seconds);
  ++times.calls;
}

bool NetworkTrial::is_begun() const noexcept {
  return std::ranges::any_of(measured_, [](const Measured& times) { return times.calls > 0; });
}

bool NetworkTrial::is_complete() const noexcept {
  return std::ranges::all_of(std::span(measured_).first(ways_.count),
                             [](const Measured& times) { return times.calls >= least_calls; });
}

bool NetworkTrial::decide(std::span<const std::uint64_t> sums, std::uint32_t next) noexcept {
  open_ = false;
  ++decisions_;
  next_ = next;
  measured_ = {};
  const auto fastest = static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin());
  if (static_cast<double>(sums[fastest]) >= Tuner::hysteresis * static_cast<double>(sums[in_use_])) return false;
  in_use_ = fastest;
  return true;
}

bool NetworkTrials::compares(Operation operation) noexcept {
  return std::ranges::find(compared, operation) != compared.end();
}

NetworkTrial& NetworkTrials::of(Operation operation, std::size_t bytes, const Ways& ways) {
  static_assert(std::bit_width(longest_not_compared) == shortest_class);
  const auto row = static_cast<std::uint32_t>(std::ranges::find(compared, operation) - compared.begin());
  const auto bits = static_cast<std::uint32_t>(std::bit_width(bytes - 1));
  const std::uint32_t column = std::min(bits - shortest_class, std::uint32_t{length_classes - 1});
  return trials_.try_emplace(row * length_classes + column, ways).first->second;
}

std::uint32_t NetworkTrials::calls_since_begin(std::int32_t call) const noexcept {
  return since(begin_, static_cast<std::uint32_t>(call));
}

bool NetworkTrials::is_exploring(std::int32_t call) const noexcept {
  return has_come(begin_, static_cast<std::uint32_t>(call));
}

bool NetworkTrials::exchanges(std::int32_t call) const noexcept {
  return calls_since_begin(call) >= cycle;
}

std::size_t NetworkTrials::turn(std::int32_t call) const noexcept {
  return calls_since_begin(call) / calls_in_turn;
}

NetworkTrials::Sums NetworkTrials::measured() const noexcept {
  Sums sums{};
  std::fill(sums.begin() + 1, sums.end(), not_measured);
  for (const auto& [number, trial] : trials_) {
    if (!trial.is_complete()) {
      if (trial.is_begun()) ++sums[0];
      continue;
    }
    for (std::size_t way = 0; way < trial.ways_.count; ++way)
      sums[1 + number * Ways::most + way] = static_cast<std::uint64_t>(trial.measured_[way].least * ticks_in_second);
  }
  return sums;
}

std::vector<NetworkTrials::Decision> NetworkTrials::decide(std::int32_t call, const Sums& sums) {
  const auto now = static_cast<std::uint32_t>(call);
  std::vector<Decision> decisions;
  for (auto& [number, trial] : trials_) {
    const auto own = std::span(sums).subspan(1 + number * Ways::most, trial.ways_.count);
    if (!trial.open_ || *std::ranges::max_element(own) >= not_measured) continue;
    const std::uint32_t next = now + (trial.decisions_ == 0 ? calls_until_second : calls_between);
    decisions.push_back({.operation = compared[number / length_classes],
                         .most_bytes = std::size_t{1} << (shortest_class + number % length_classes),
                         .trial = &trial,
                         .ticks = own,
                         .changed = trial.decide(own, next % calls)});
  }
  const bool lacks_times = sums[0] > 0;
  if (lacks_times && ++cycles_ < most_cycles) {
    begin_ = now;
  } else {
    if (!decisions.empty()) interval_ = first_interval;
    rest(call);
  }
  return decisions;
}

/// Until the next cycle.
void NetworkTrials::rest(std::int32_t call) noexcept {
  cycles_ = 0;
  begin_ = (static_cast<std::uint32_t>(call) + interval_) % calls;
  interval_ = std::min(interval_ * 2, longest_interval);
  for (auto& [number, trial] : trials_) {
    trial.measured_ = {};
    trial.open_ = trial.open_ || has_come(trial.next_, begin_);
  }
}

}  // namespace bowline::coll
