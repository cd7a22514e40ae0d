// SPDX-License-Identifier: BSD-3-Clause
#include "proto/ways/way_choice.hpp"

#include <algorithm>

#include "base/counter.hpp"

namespace bowline::proto {
namespace {

constexpr unsigned messages_of_try = 3;      // of a way without a cost
constexpr unsigned messages_of_look = 2;     // of a way with one
constexpr unsigned more_for_median = 2;      // besides these, if the median counts
constexpr unsigned measurements_of_row = 4;  // after which the cost of the way in use changes
constexpr unsigned timed_every = 16;         // messages in the way in use
constexpr unsigned looks_after_change = 4;   // that follow each other at the shortest interval
// Messages after which a trial ends without the costs that it still awaits: their messages have failed.
constexpr unsigned patience = 256;
// A way that has cost this many times as much as the one in use for two messages gets no third one.
constexpr float hopeless = 1.5F;
// Expected to cost that many times as much for a similar kind of messages, it gets no first one.
constexpr float too_dear = 2.5F;
// What a way is expected to cost without any measurement, relative to the way in use, by Way. That of the last is
// relative to its neighbour's: two share the work.
constexpr std::array<float, way_count> guess{1.5F, 1.5F, 3.0F, 0.6F};
// Messages of a trial whose cost does not become known, after which it ends.
constexpr unsigned most_unknown = 8;
// No way costs more than that many times as much as another one.
constexpr float delayed = 5.0F;
// A measurement that exceeds the cost by this factor has the next ones made at once.
constexpr float suspicious = 1.25F;

Counter changes{"way_changes", "times that long messages of some kind changed their way"};
Counter tries{"way_tries", "long messages that went another way than the one in use, to see what it costs"};

}  // namespace

float WayChoice::Row::result(Counts counts) const noexcept {
  std::array<float, most> sorted = costs_;
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(std::size_t{count_}, most));
  std::sort(sorted.begin(), end);
  return counts == Counts::least ? sorted.front() : sorted[static_cast<std::size_t>(end - sorted.begin() - 1) / 2];
}

WayChoice::Next WayChoice::next(WaySet possible, std::size_t bytes, const WayChoice* similar, const TryBudget& budget,
                                bool tries_allowed) noexcept {
  if (!known() && !trial_ && similar != nullptr && similar->known()) in_use_ = similar->in_use_;
  if (!possible.has(in_use_)) use(*std::ranges::find_if(all_ways, [&](Way way) { return possible.has(way); }));
  ++since_trial_;
  if (trial_ && (!possible.has(trial_->way) || (trial_->to_come == 0 && since_trial_ > patience))) trial_.reset();
  if (!tries_allowed) return {in_use_, false, false};
  if (!trial_) begin_trial(possible, bytes, similar, budget);
  if (!trial_) return {in_use_, is_due(), false};
  if (trial_->to_come == 0) return {in_use_, false, false};
  --trial_->to_come;
  ++trial_->awaited;
  const bool tried = trial_->way != in_use_;
  if (tried) tries.add();
  return {trial_->way, true, tried};
}

void WayChoice::begin_trial(WaySet possible, std::size_t bytes, const WayChoice* similar,
                            const TryBudget& budget) noexcept {
  if (!known()) {
    trial_ = Trial{in_use_, length_of(messages_of_try)};
  } else if (!try_new_way(possible, bytes, similar, budget) && !look_at_cheaper(possible) &&
             since_trial_ >= interval_) {
    look_around(possible, bytes, budget);
  }
  if (trial_) since_trial_ = 0;
}

std::uint8_t WayChoice::length_of(unsigned messages) const noexcept {
  return static_cast<std::uint8_t>(counts_ == Counts::median ? messages + more_for_median : messages);
}

/// Tries a way without a cost, unless it was passed over.
bool WayChoice::try_new_way(WaySet possible, std::size_t bytes, const WayChoice* similar,
                            const TryBudget& budget) noexcept {
  for (const Way way : all_ways) {
    if (!possible.has(way) || cost(way) > 0 || passed_over_.has(way)) continue;
    if (may_try(way, expected(way, similar), bytes, budget)) {
      trial_ = Trial{way, length_of(messages_of_try)};
      return true;
    }
    passed_over_.add(way);
  }
  return false;
}

/// Looks at a way that was cheaper than the way in use is now.
bool WayChoice::look_at_cheaper(WaySet possible) noexcept {
  Way cheapest = in_use_;
  for (const Way way : all_ways) {
    if (possible.has(way) && cost(way) > 0 && cost(way) < cost(cheapest)) cheapest = way;
  }
  if (cost(cheapest) >= hysteresis * cost(in_use_)) return false;
  trial_ = Trial{cheapest, length_of(messages_of_look)};
  return true;
}

/// Looks at another way, if the budget allows one. Every second look is at the way before the last change.
void WayChoice::look_around(WaySet possible, std::size_t bytes, const TryBudget& budget) noexcept {
  since_trial_ = 0;
  const auto may_be = [&](Way way) {
    if (way == in_use_ || !possible.has(way)) return false;
    return may_try(way, cost(way) > 0 ? cost(way) : expected(way, nullptr), bytes, budget);
  };
  if (++turn_ % 2 == 1 && may_be(before_)) {
    trial_ = Trial{before_, length_of(messages_of_look)};
    return;
  }
  for (std::size_t step = 0; step < way_count; ++step) {
    const Way way = all_ways[(turn_ / 2 + step) % way_count];
    if (!may_be(way)) continue;
    trial_ = Trial{way, length_of(messages_of_look)};
    return;
  }
  schedule_looks(false);
}

/// What a way without a cost probably costs: as much more than the way in use as it does for a similar kind.
float WayChoice::expected(Way way, const WayChoice* similar) const noexcept {
  const bool known_there = similar != nullptr && similar->cost(way) > 0 && similar->cost(in_use_) > 0;
  if (known_there) return cost(in_use_) * similar->cost(way) / similar->cost(in_use_);
  const float base = way == Way::attach_both && cost(Way::attach) > 0 ? cost(Way::attach) : cost(in_use_);
  return base * guess[index_of(way)];
}

/// Whether a message may go a way that probably costs that much.
bool WayChoice::may_try(Way way, float likely, std::size_t bytes, const TryBudget& budget) const noexcept {
  const double more = price(likely, tried_bytes(way, bytes));
  if (cost(way) > 0) return budget.allows_look(more);
  return likely <= std::max(too_dear, guess[index_of(way)]) * cost(in_use_) && budget.allows_try(more);
}

/// What a message of this length costs beyond one in the way in use, in nanoseconds. A message that took very long was
/// delayed, which is not the price of its way.
double WayChoice::price(float cost_of_way, std::size_t bytes) const noexcept {
  const float likely = std::min(cost_of_way, delayed * cost(in_use_));
  return std::max(0.0F, likely - cost(in_use_)) * static_cast<double>(bytes);
}

bool WayChoice::is_due() noexcept {
  if (until_timed_ > 0) return --until_timed_, false;
  until_timed_ = timed_every - 1;
  return true;
}

void WayChoice::took(Way way, double nanoseconds, std::size_t bytes, TryBudget& budget) noexcept {
  const auto cost = static_cast<float>(std::max(nanoseconds, 1.0) / static_cast<double>(bytes));
  if (trial_ && trial_->way == way && trial_->awaited > 0) {
    note_trial(cost, bytes, budget);
  } else if (way == in_use_ && known()) {
    note_in_use(cost);
  }
}

void WayChoice::took_unknown(Way way, double nanoseconds, std::size_t bytes, TryBudget& budget) noexcept {
  if (!trial_ || trial_->way != way || trial_->awaited == 0) return;
  --trial_->awaited;
  if (way != in_use_ && bytes > 0) {
    budget.spend(price(static_cast<float>(nanoseconds / static_cast<double>(bytes)), bytes));
  }
  if (++trial_->unknown < most_unknown) {
    ++trial_->to_come;
  } else if (trial_->to_come == 0 && trial_->awaited == 0) {
    passed_over_.add(way);
    trial_.reset();
  }
}

void WayChoice::note_in_use(float cost) noexcept {
  row_.add(cost);
  float& known_cost = cost_[index_of(in_use_)];
  if (row_.result(counts_) > suspicious * known_cost) until_timed_ = 0;
  if (row_.count() < measurements_of_row) return;
  known_cost = (known_cost + row_.result(counts_)) / 2;
  row_.clear();
}

void WayChoice::note_trial(float cost, std::size_t bytes, TryBudget& budget) noexcept {
  Trial& trial = *trial_;
  trial.costs.add(cost);
  --trial.awaited;
  if (trial.way != in_use_) {
    const float least = trial.costs.result(Counts::least);
    const double more = price(least, bytes);
    budget.spend(more);
    const bool hopeless_way = trial.costs.count() > 1 && least > hopeless * cost_[index_of(in_use_)];
    if (hopeless_way || !budget.allows_try(more)) trial.to_come = 0;
  }
  if (trial.to_come == 0 && trial.awaited == 0) end_trial();
}

void WayChoice::end_trial() noexcept {
  const Trial trial = *trial_;
  trial_.reset();
  float& cost = cost_[index_of(trial.way)];
  const bool first = cost == 0;
  const float found = trial.costs.result(counts_);
  cost = found < cost || first ? found : (cost + found) / 2;
  const bool better = cost < hysteresis * cost_[index_of(in_use_)];
  if (better) {
    if (!first) changes.add();
    use(trial.way);
  }
  if (!first) schedule_looks(better);
}

void WayChoice::use(Way way) noexcept {
  before_ = in_use_;
  in_use_ = way;
  row_.clear();
  until_timed_ = timed_every - 1;
}

void WayChoice::schedule_looks(bool changed) noexcept {
  if (changed) {
    interval_ = first_interval;
    frequent_looks_ = looks_after_change;
  } else if (frequent_looks_ > 0) {
    --frequent_looks_;
  } else {
    interval_ = std::min(2 * interval_, longest_interval);
  }
}

}  // namespace bowline::proto
