// SPDX-License-Identifier: BSD-3-Clause
// Tuner: which of a few candidates (algorithms, paths of data) serves the next operation, by what operations have cost.
//
// - Costs. The costs of a few operations in a row form one sample, of which the least or the median counts, never the
//   mean: an operation takes long for reasons that have nothing to do with its candidate, because a peer computes or
//   another program has the core. A sample moves the known cost half-way; a sample of an exploration replaces the known
//   cost if the sample is less, because the known cost is old.
// - Exploration. The candidate in use serves nearly all operations. Now and then another candidate serves a few,
//   because processes move to other cores and machines get other load. An exploration follows at once for a candidate
//   without a cost, and for a candidate that was cheaper than the candidate in use is now; otherwise after an interval,
//   which is short after a change and grows as long as nothing changes.
// - Hysteresis. A candidate is taken into use if it costs clearly less than the candidate in use.
// - Budget. A candidate that is expected to cost many times as much is explored rarely or never. An ExplorationBudget
//   also bounds what all explorations cost beyond the same operations with the candidates in use: a fixed time, and a
//   hundredth of the time that operations take.
//
// A tuner depends on its inputs only. It reads no clock, allocates nothing, and calls nothing. It is not thread-safe.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace bowline {

/// The costs of a few operations in a row.
class CostSample {
 public:
  /// `least` is wrong only if all operations of the sample were delayed. `median`: for operations that overlap, because
  /// behind a delayed operation the next operations seem to cost less than they do.
  enum class Statistic : std::uint8_t { least, median };
  static constexpr std::size_t most = 5;

  void add(float cost) noexcept { costs_[count_++ % most] = cost; }
  std::size_t count() const noexcept { return count_; }
  /// The statistic of the last `most` costs; there is at least one.
  float result(Statistic statistic) const noexcept;
  void clear() noexcept { count_ = 0; }

 private:
  std::array<float, most> costs_{};
  std::uint8_t count_ = 0;
};

/// How much time explorations may still cost beyond the same operations with the candidates that were in use. Tuners
/// may share it. What has been spent comes back with the operations: a hundredth of their time. Nanoseconds.
class ExplorationBudget {
 public:
  explicit ExplorationBudget(double nanoseconds) noexcept
      : whole_(nanoseconds), left_(nanoseconds), kept_(nanoseconds / 2) {}
  double left() const noexcept { return left_; }
  /// Whether the first operations with some candidate may cost this much more each. The operations may turn out to cost
  /// still more, so a part of the budget is kept back.
  bool allows_first(double price) const noexcept { return left_ > 0 && price <= left_ / 2; }
  /// Whether later explorations of a candidate whose cost is known may cost this much more each. Later explorations are
  /// many, and leave half of the budget for first explorations.
  bool allows_later(double price) const noexcept { return price <= (left_ - kept_) / 4; }
  void spend(double price) noexcept { left_ -= price; }
  /// Operations with candidates in use have taken so long.
  void earn(double nanoseconds) noexcept { left_ = std::min(left_ + nanoseconds / 100, whole_); }

 private:
  double whole_;
  double left_;
  double kept_;
};

class Tuner {
 public:
  static constexpr std::size_t most_candidates = 4;
  using Costs = std::array<float, most_candidates>;  ///< by candidate, in a unit of the caller
  /// The cost of a candidate that has not been measured or cannot serve the operation.
  static constexpr float unknown = std::numeric_limits<float>::infinity();
  static constexpr Costs all_unknown() noexcept { return {unknown, unknown, unknown, unknown}; }
  /// A candidate is taken into use if it costs less than this part of the cost of the candidate in use.
  static constexpr float hysteresis = 0.96F;

  /// What differs between the users of tuners.
  struct Rules {
    CostSample::Statistic statistic = CostSample::Statistic::least;
    std::uint8_t first_length = 3;  ///< operations that explore a candidate without a cost
    std::uint8_t length = 2;        ///< operations that explore a candidate otherwise; at most CostSample::most
    /// Operations between two explorations: before the first one, after a change, at most, and the growth between.
    std::uint32_t until_first = 0;
    std::uint32_t first_interval = 16;
    std::uint32_t longest_interval = 1 << 14;
    std::uint8_t growth = 2;
    std::uint8_t frequent = 4;     ///< explorations after a change before the interval grows
    std::uint8_t timed_every = 0;  ///< operations with the candidate in use of which next() has one timed; 0: none
    /// Beyond so many times the cost of the candidate in use a candidate is not explored at first, and if all are
    /// explored together, only every second time; beyond `never_beyond` it is not explored at all.
    float rarely_beyond = 3;
    float never_beyond = unknown;
    /// What candidates are expected to cost without any measurement, relative to the candidate in use.
    Costs guesses{1, 1, 1, 1};
    /// An exploration covers all candidates, one after the other, and the candidate in use too: for processes that have
    /// to agree, which compare costs of the same time. Needs `caller_decides`.
    bool together = false;
    /// The tuner does not compare its costs, but waits for decide(): because processes agree on the costs first, or
    /// because a cost depends on the shape of the operation too. Such operations do not overlap; otherwise an
    /// exploration waits for the costs of its operations, and decides when they are known.
    bool caller_decides = false;
  };

  /// `rules` are not copied. `candidates`: 1 to most_candidates. The first one is in use. `costs`: first guesses.
  explicit Tuner(const Rules& rules, std::size_t candidates, const Costs& costs = all_unknown()) noexcept;

  struct Operation {
    /// With each candidate; nullptr: the known costs, or what is expected.
    const Costs* costs = nullptr;
    /// A tuner of similar operations with the same candidates; nullptr: there is none. The first candidate in use is
    /// the candidate that the similar tuner uses. The candidates' costs are expected to have the same ratios as in the
    /// similar tuner.
    const Tuner* similar = nullptr;
    /// The candidates that can serve the operation; at least one.
    std::bitset<most_candidates> possible = std::bitset<most_candidates>().set();
    /// Whether the operation may serve an exploration.
    bool may_explore = true;
    /// Explorations must keep within this budget, if there is one; `amounts` multiply the costs to nanoseconds.
    const ExplorationBudget* budget = nullptr;
    Costs amounts{};
  };
  struct Next {
    std::size_t candidate;
    bool timed;     ///< whether took() or lost() is to be called
    bool explores;  ///< whether the operation gets another candidate than the one in use
  };
  /// The candidate that serves the operation. To be called once for each.
  Next next(const Operation& operation) noexcept;
  /// What an operation has cost. `amount`: the factor that turns the cost into nanoseconds, for the budget. Returns
  /// whether an exploration has ended with this cost.
  bool took(std::size_t candidate, float cost, double amount = 0, ExplorationBudget* budget = nullptr) noexcept;
  /// The cost says nothing about later operations, or is not known (0). Another operation replaces it, within limits.
  void lost(std::size_t candidate, float cost = 0, double amount = 0, ExplorationBudget* budget = nullptr) noexcept;

  /// Whether all operations of an exploration have begun. If the caller decides, it calls decide().
  bool is_complete() const noexcept;
  /// Takes the candidate with the least of these costs into use if it costs clearly less than the candidate in use.
  /// Ends the exploration if it is complete; without a decision if all costs are unknown. Returns whether the candidate
  /// in use has changed.
  bool decide(const Costs& costs) noexcept;
  /// Takes the candidate into use without a comparison.
  void use(std::size_t candidate) noexcept;

  std::size_t in_use() const noexcept { return in_use_; }
  const Costs& costs() const noexcept { return costs_; }
  float cost(std::size_t candidate) const noexcept { return costs_[candidate]; }
  bool knows(std::size_t candidate) const noexcept { return costs_[candidate] != unknown; }
  bool known() const noexcept { return knows(in_use_); }

 private:
  struct Exploration {
    std::uint8_t candidate;
    std::uint8_t to_come;      ///< operations that will get the candidate
    std::uint8_t awaited = 0;  ///< operations that have got it and whose cost is not known yet
    std::uint8_t lost = 0;
    bool first = false;  ///< whether the first candidate had no cost
  };
  static std::uint8_t small(std::size_t candidate) noexcept { return static_cast<std::uint8_t>(candidate); }

  float cost_of(const Operation& operation, std::size_t candidate) const noexcept;
  void explore(const Operation& operation) noexcept;
  void start(std::size_t candidate) noexcept;
  void start_all() noexcept;
  bool start_urgent(const Operation& operation) noexcept;
  void start_by_turn(const Operation& operation) noexcept;
  bool allows(const Operation& operation, std::size_t candidate, float most_times) const noexcept;
  void go_on() noexcept;
  bool is_urgent() const noexcept;
  std::size_t better(const Costs& costs) const noexcept;
  double price(float cost, double amount) const noexcept;
  bool is_timed() noexcept;
  bool took_exploring(double amount, ExplorationBudget* budget) noexcept;
  void settle(std::size_t candidate, bool explored) noexcept;
  void end(bool changed) noexcept;

  const Rules* rules_;
  Costs costs_;
  std::array<CostSample, most_candidates> samples_;
  std::array<bool, most_candidates> passed_over_{};  ///< not explored: in this exploration, or until their turn
  std::uint32_t interval_;
  std::uint32_t
      since_;  ///< operations since the last exploration began; if an exploration covers all candidates, since it ended
  std::optional<Exploration> exploration_;
  std::uint8_t count_;
  std::uint8_t in_use_ = 0;
  std::uint8_t before_ = 0;  ///< the candidate that was in use before the last change
  std::uint8_t until_timed_ = 0;
  std::uint8_t turn_ = 0;
  std::uint8_t frequent_ = 0;  ///< explorations left before the interval grows
  bool urgent_ = false;
};

}  // namespace bowline
