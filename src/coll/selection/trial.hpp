// SPDX-License-Identifier: BSD-3-Clause
// Trial: finds out which of several algorithms takes the least time for long calls of one operation, on this machine
// and in this team (base/tuner.hpp). The times are those of the program's own blocking calls: the first candidate
// serves a few calls, then the next one a few, and so on. Then the members add up their times, and all take the
// candidate with the least sum. From time to time they compare again, because machines change.
//
// All members of a correct program make the same blocking calls, so all count to the same call at which a candidate is
// to be measured. A member with another length by mistake counts another trial. So that the mistake remains an error of
// one call, a member tries a candidate only if all members publish the same plan() when they begin the operation.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>

#include "base/tuner.hpp"
#include "coll/channel/algorithm.hpp"

namespace bowline::coll {

/// The comparison for one team, one operation and one class of lengths.
class Trial {
 public:
  static constexpr std::size_t most_candidates = Tuner::most_candidates;
  /// In seconds, by candidate; `not_measured` for candidates that the comparison left out.
  using Times = Tuner::Costs;
  static constexpr float not_measured = Tuner::unknown;

  /// The number of calls that a candidate serves in a comparison. The least time counts: the first calls allocate the
  /// pages of slots, and a member may have been away during other calls.
  static constexpr unsigned calls_each = 5;
  /// The number of calls before the first comparison; before the second comparison and after a change; and between
  /// later comparisons.
  static constexpr unsigned calls_before = 1;
  static constexpr unsigned calls_until_second = 256;
  static constexpr unsigned calls_between = 4096;

  /// `candidates`: 2 to most_candidates algorithms that can serve the calls; the first one is in use until the members
  /// have compared. `number`: distinguishes the trials of a team; below 2^number_bits.
  Trial(std::uint32_t number, std::span<const Algorithm* const> candidates) noexcept;
  static constexpr int number_bits = 11;

  /// What a blocking call does.
  enum class Step {
    serve,    ///< the call uses algorithm()
    measure,  ///< the call uses measured() and reports the time to took()
    compare   ///< the members first exchange times() and call decide() with the sums; then the call uses algorithm()
  };
  /// Every member calls next() once for each blocking call.
  Step next() noexcept;
  /// Identifies the trial and the last result of next() that was not Step::serve, for the comparison of plans.
  std::uint32_t plan() const noexcept;

  /// The algorithm in use.
  const Algorithm& algorithm() const noexcept { return *candidates_[tuner_.in_use()]; }
  const Algorithm& measured() const noexcept { return *candidates_[measured_]; }
  void took(float seconds) noexcept { tuner_.took(measured_, seconds); }

  const Times& times() const noexcept { return tuner_.costs(); }
  /// `sums`: the same in all members. Returns whether algorithm() has changed.
  bool decide(const Times& sums) noexcept;
  /// Instead of decide(), if the members cannot compare.
  void abandon() noexcept { decide(Tuner::all_unknown()); }

  std::span<const Algorithm* const> candidates() const noexcept { return {candidates_.data(), count_}; }

 private:
  std::uint32_t number_;
  std::array<const Algorithm*, most_candidates> candidates_{};
  std::size_t count_;
  Tuner tuner_;
  std::size_t measured_ = 0;       ///< the candidate of the last call that measured
  std::uint32_t step_ = 0;         ///< calls of this comparison
  std::uint32_t comparisons_ = 0;  ///< comparisons that have ended
};

/// The trials of a team.
class Trials {
 public:
  /// Lengths are in one class if their powers of two, rounded up, are equal; all lengths beyond `longest_class` are in
  /// one class. `candidates` are those of the first call of the class.
  Trial& of(Operation operation, std::size_t bytes, bool ordered, std::span<const Algorithm* const> candidates);

 private:
  static constexpr std::size_t longest_class = 4 << 20;
  std::map<std::uint32_t, Trial> trials_;  ///< by their numbers
};

}  // namespace bowline::coll
