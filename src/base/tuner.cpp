// SPDX-License-Identifier: BSD-3-Clause
#include "base/tuner.hpp"

#include <algorithm>

namespace bowline {
namespace {

// So many costs of a candidate outside of explorations form a sample, which changes the candidate's cost.
constexpr std::size_t costs_of_sample = 4;
// A cost that exceeds the known one by this factor has the next operations timed at once.
constexpr float suspicious = 1.25F;
// An exploration that costs this many times as much as the candidate in use for two operations ends.
constexpr float hopeless = 1.5F;
// The price of an operation is at most the price of an operation this many times as dear as expected: an operation that
// took longer was delayed.
constexpr float delayed = 5;
// Operations of an exploration whose cost does not become known, after which it ends.
constexpr unsigned most_lost = 8;
// Operations after which an exploration ends without the costs that it still awaits: the awaited operations have
// failed.
constexpr std::uint32_t patience = 256;

}  // namespace

float CostSample::result(Statistic statistic) const noexcept {
  std::array<float, most> sorted = costs_;
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(std::min(std::size_t{count_}, most));
  std::sort(sorted.begin(), end);
  return statistic == Statistic::least ? sorted.front()
                                       : sorted[static_cast<std::size_t>(end - sorted.begin() - 1) / 2];
}

Tuner::Tuner(const Rules& rules, std::size_t candidates, const Costs& costs) noexcept
    : rules_(&rules),
      costs_(costs),
      interval_(rules.first_interval),
      since_(rules.first_interval - rules.until_first),
      count_(small(candidates)) {}

// ---- which operations explore

Tuner::Next Tuner::next(const Operation& operation) noexcept {
  const Tuner* const similar = operation.similar;
  if (!known() && !exploration_ && similar != nullptr && similar->known()) use(similar->in_use_);
  if (!operation.possible[in_use_]) {
    std::size_t possible = 0;
    while (!operation.possible[possible]) ++possible;
    use(possible);
  }
  if (!operation.may_explore) return {in_use_, false, false};
  if (!exploration_ && (urgent_ || since_ >= interval_)) explore(operation);
  ++since_;
  if (exploration_) go_on();
  if (!exploration_) return {in_use_, is_timed(), false};
  Exploration& now = *exploration_;
  if (now.to_come == 0 || !operation.possible[now.candidate]) return {in_use_, false, false};
  --now.to_come;
  ++now.awaited;
  return {now.candidate, true, now.candidate != in_use_};
}

/// If all operations that explore a candidate have begun, goes on to the next one.
void Tuner::go_on() noexcept {
  Exploration& now = *exploration_;
  if (!rules_->caller_decides && since_ > patience) return exploration_.reset();
  if (!rules_->together || now.to_come > 0 || now.candidate == count_) return;
  do ++now.candidate;
  while (now.candidate < count_ && passed_over_[now.candidate]);
  if (now.candidate < count_) now.to_come = rules_->length;
}

void Tuner::explore(const Operation& operation) noexcept {
  const bool by_turn = since_ >= interval_;
  urgent_ = false;
  if (rules_->together) {
    start_all();
  } else if (!start_urgent(operation) && by_turn) {
    start_by_turn(operation);
  }
}

void Tuner::start(std::size_t candidate) noexcept {
  const bool first = !knows(candidate);
  samples_[candidate].clear();
  exploration_ = {small(candidate), first ? rules_->first_length : rules_->length, 0, 0, first};
  since_ = 0;
}

/// Starts an exploration of all candidates. Every second exploration leaves out the candidates that were far too dear.
void Tuner::start_all() noexcept {
  const bool leaves_out = ++turn_ % 2 == 0;
  const bool first = !known();
  for (std::size_t i = 0; i < count_; ++i) {
    passed_over_[i] = leaves_out && costs_[i] > rules_->rarely_beyond * costs_[in_use_];
    samples_[i].clear();
  }
  costs_ = all_unknown();
  const auto candidate = std::ranges::find(passed_over_, false) - passed_over_.begin();
  exploration_ = {static_cast<std::uint8_t>(candidate), rules_->length, 0, 0, first};
}

/// Starts to explore a candidate without a cost, unless it was passed over; or a candidate that was cheaper than the
/// candidate in use is now.
bool Tuner::start_urgent(const Operation& operation) noexcept {
  if (!known()) return start(in_use_), true;
  Costs known = all_unknown();
  for (std::size_t i = 0; i < count_; ++i) {
    if (knows(i)) {
      known[i] = cost_of(operation, i);
    } else if (!passed_over_[i] && operation.possible[i]) {
      if (allows(operation, i, rules_->rarely_beyond)) return start(i), true;
      passed_over_[i] = true;
    }
  }
  const std::size_t cheaper = better(known);
  if (cheaper == in_use_) return false;
  return start(cheaper), true;
}

/// Every second turn is for the candidate before the last change, which is the likeliest to be good again.
void Tuner::start_by_turn(const Operation& operation) noexcept {
  const auto may = [&](std::size_t i) { return i != in_use_ && allows(operation, i, rules_->never_beyond); };
  if (++turn_ % 2 == 1 && may(before_)) return start(before_);
  for (std::size_t step = 0; step < count_; ++step) {
    const std::size_t candidate = (turn_ / 2 + step) % count_;
    if (may(candidate)) return start(candidate);
  }
  end(false);
}

bool Tuner::allows(const Operation& operation, std::size_t candidate, float most_times) const noexcept {
  const float cost = cost_of(operation, candidate);
  if (cost == unknown || cost > most_times * cost_of(operation, in_use_)) return false;
  if (operation.budget == nullptr) return true;
  const double more = price(cost, operation.amounts[candidate]);
  return knows(candidate) ? operation.budget->allows_later(more) : operation.budget->allows_first(more);
}

float Tuner::cost_of(const Operation& operation, std::size_t candidate) const noexcept {
  if (!operation.possible[candidate]) return unknown;
  if (operation.costs != nullptr) return (*operation.costs)[candidate];
  if (knows(candidate)) return costs_[candidate];
  const Tuner* const similar = operation.similar;
  const bool known_there = similar != nullptr && similar->knows(candidate) && similar->knows(in_use_);
  return costs_[in_use_] *
         (known_there ? similar->costs_[candidate] / similar->costs_[in_use_] : rules_->guesses[candidate]);
}

double Tuner::price(float cost, double amount) const noexcept {
  return std::max(0.0F, std::min(cost, delayed * costs_[in_use_]) - costs_[in_use_]) * amount;
}

bool Tuner::is_timed() noexcept {
  if (rules_->timed_every == 0) return false;
  if (until_timed_ > 0) return --until_timed_, false;
  until_timed_ = static_cast<std::uint8_t>(rules_->timed_every - 1);
  return true;
}

// ---- what they cost

bool Tuner::took(std::size_t candidate, float cost, double amount, ExplorationBudget* budget) noexcept {
  CostSample& sample = samples_[candidate];
  const bool explored = exploration_ && exploration_->candidate == candidate && exploration_->awaited > 0;
  if (!explored && !rules_->caller_decides && candidate != in_use_) return false;  // the cost comes too late
  sample.add(cost);
  if (!explored && budget != nullptr) budget->earn(double{cost} * amount * rules_->timed_every);
  const float result = sample.result(rules_->statistic);
  if (rules_->together) {
    costs_[candidate] = result;
  } else if (explored && !rules_->caller_decides) {
    return took_exploring(amount, budget);
  } else if (knows(candidate)) {
    if (result > suspicious * costs_[candidate]) until_timed_ = 0;
    if (sample.count() >= costs_of_sample) settle(candidate, false);
  }
  return false;
}

bool Tuner::took_exploring(double amount, ExplorationBudget* budget) noexcept {
  Exploration& now = *exploration_;
  --now.awaited;
  if (now.candidate != in_use_) {
    const CostSample& sample = samples_[now.candidate];
    const float least = sample.result(CostSample::Statistic::least);
    const double more = price(least, amount);
    if (budget != nullptr) budget->spend(more);
    const bool is_hopeless = sample.count() > 1 && least > hopeless * costs_[in_use_];
    if (is_hopeless || (budget != nullptr && !budget->allows_first(more))) now.to_come = 0;
  }
  if (now.to_come > 0 || now.awaited > 0) return false;
  settle(now.candidate, true);
  Costs both = all_unknown();
  for (const std::size_t i : {std::size_t{in_use_}, std::size_t{now.candidate}}) both[i] = costs_[i];
  decide(both);
  return true;
}

void Tuner::lost(std::size_t candidate, float cost, double amount, ExplorationBudget* budget) noexcept {
  if (!exploration_ || exploration_->candidate != candidate || exploration_->awaited == 0) return;
  Exploration& now = *exploration_;
  --now.awaited;
  if (candidate != in_use_ && budget != nullptr) budget->spend(price(cost, amount));
  if (++now.lost < most_lost) {
    ++now.to_come;
  } else if (now.to_come == 0 && now.awaited == 0) {
    passed_over_[candidate] = true;
    now.first = false;  // the next exploration is as late as if this one had found nothing new
    end(false);
  }
}

/// Corrects the cost by the sample. The sample of an exploration replaces a cost that is out of date.
void Tuner::settle(std::size_t candidate, bool explored) noexcept {
  const float found = samples_[candidate].result(rules_->statistic);
  float& cost = costs_[candidate];
  cost = cost == unknown || (explored && found < cost) ? found : (cost + found) / 2;
  samples_[candidate].clear();
  if (!rules_->caller_decides) urgent_ = is_urgent();
}

bool Tuner::is_urgent() const noexcept {
  for (std::size_t i = 0; i < count_; ++i)
    if (!knows(i) && !passed_over_[i]) return true;
  return better(costs_) != in_use_;
}

// ---- decisions

/// The candidate in use, unless another one costs clearly less.
std::size_t Tuner::better(const Costs& costs) const noexcept {
  const auto best = static_cast<std::size_t>(std::min_element(costs.begin(), costs.begin() + count_) - costs.begin());
  return costs[best] < hysteresis * costs[in_use_] ? best : in_use_;
}

bool Tuner::is_complete() const noexcept {
  return exploration_ && exploration_->to_come == 0 && (!rules_->together || exploration_->candidate == count_);
}

bool Tuner::decide(const Costs& costs) noexcept {
  const std::size_t best = better(costs);
  const bool changed = best != in_use_;
  if (rules_->together) costs_ = costs;
  if (changed) use(best);
  if (is_complete()) end(changed);
  return changed;
}

void Tuner::use(std::size_t candidate) noexcept {
  before_ = in_use_;
  in_use_ = small(candidate);
  samples_[candidate].clear();
  until_timed_ = static_cast<std::uint8_t>(rules_->timed_every - 1);
}

/// The first cost of a candidate is no sign of a change.
void Tuner::end(bool changed) noexcept {
  const bool first = exploration_ && exploration_->first;
  exploration_.reset();
  if (rules_->together) since_ = 0;
  if (!rules_->caller_decides) urgent_ = is_urgent();
  if (first) return;
  if (changed) {
    interval_ = rules_->first_interval;
    frequent_ = rules_->frequent;
  } else if (frequent_ > 0) {
    --frequent_;
  } else {
    interval_ = std::min(interval_ * rules_->growth, rules_->longest_interval);
  }
}

}  // namespace bowline
