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

}  // namespace

std::optional<std::size_t> NetworkTrial::measured(std::size_t turn) const noexcept {
  if (decided_ || turn >= ways_.count) return std::nullopt;
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

/// `sums`: by way. Returns whether another way has been taken into use.
bool NetworkTrial::decide(std::span<const std::uint64_t> sums) noexcept {
  decided_ = true;
  const auto fastest = static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin());
  if (static_cast<double>(sums[fastest]) >= Tuner::hysteresis * static_cast<double>(sums[in_use_])) return false;
  in_use_ = fastest;
  return true;
}

void NetworkTrial::forget() noexcept {
  decided_ = false;
  measured_ = {};
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
  return (static_cast<std::uint32_t>(call) - begin_) % calls;
}

bool NetworkTrials::is_exploring(std::int32_t call) const noexcept {
  return calls_since_begin(call) < calls / 2;
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
    if (trial.decided_) continue;
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
  std::vector<Decision> decisions;
  for (auto& [number, trial] : trials_) {
    const auto own = std::span(sums).subspan(1 + number * Ways::most, trial.ways_.count);
    if (trial.decided_ || *std::ranges::max_element(own) >= not_measured) continue;
    decisions.push_back({.operation = compared[number / length_classes],
                         .most_bytes = std::size_t{1} << (shortest_class + number % length_classes),
                         .trial = &trial,
                         .ticks = own,
                         .changed = trial.decide(own)});
  }
  const bool lacks_times = sums[0] > 0;
  if (lacks_times && ++cycles_ < most_cycles) {
    begin_ = static_cast<std::uint32_t>(call);
  } else {
    end(call);
  }
  return decisions;
}

void NetworkTrials::end(std::int32_t call) noexcept {
  for (auto& [number, trial] : trials_) trial.forget();
  cycles_ = 0;
  begin_ = (static_cast<std::uint32_t>(call) + interval_) % calls;
  interval_ = std::min(interval_ * growth, longest_interval);
}

}  // namespace bowline::coll
