// SPDX-License-Identifier: BSD-3-Clause
#include "coll/selection/trial.hpp"

#include <algorithm>
#include <bit>

#include "coll/slots/slot_memory.hpp"

namespace bowline::coll {
namespace {

// The members agree on the sums of their times, so all members know when a comparison takes place, and a comparison
// covers all candidates.
constexpr Tuner::Rules trial_rules{.length = Trial::calls_each,
                                   .until_first = Trial::calls_before,
                                   .first_interval = Trial::calls_until_second,
                                   .longest_interval = Trial::calls_between,
                                   .growth = Trial::calls_between / Trial::calls_until_second,
                                   .frequent = 0,
                                   .rarely_beyond = 2,
                                   .together = true,
                                   .caller_decides = true};

}  // namespace

Trial::Trial(std::uint32_t number, std::span<const Algorithm* const> candidates) noexcept
    : number_(number), count_(std::min(candidates.size(), most_candidates)), tuner_(trial_rules, count_) {
  std::copy_n(candidates.begin(), count_, candidates_.begin());
}

Trial::Step Trial::next() noexcept {
  const Tuner::Next next = tuner_.next({});
  if (tuner_.is_complete()) return Step::compare;
  if (!next.timed) return Step::serve;
  measured_ = next.candidate;
  ++step_;
  return Step::measure;
}

std::uint32_t Trial::plan() const noexcept {
  constexpr int step_bits = 5;
  static_assert(most_candidates * calls_each < 1U << step_bits);
  constexpr std::uint32_t comparisons = 1U << (SlotMemory::plan_bits - number_bits - step_bits);
  const std::uint32_t step = tuner_.is_complete() ? 0 : step_;
  return ((number_ * comparisons + comparisons_ % comparisons) << step_bits) + step;
}

bool Trial::decide(const Times& sums) noexcept {
  ++comparisons_;
  step_ = 0;
  return tuner_.decide(sums);
}

Trial& Trials::of(Operation operation, std::size_t bytes, bool ordered, std::span<const Algorithm* const> candidates) {
  const auto length_class = static_cast<std::uint32_t>(std::bit_width(std::min(bytes, longest_class + 1) - 1));
  static_assert(operations <= 32 && std::bit_width(longest_class) < 32 && Trial::number_bits == 11);
  const std::uint32_t number =
      (static_cast<std::uint32_t>(operation) * 32 + length_class) * 2 + static_cast<std::uint32_t>(ordered);
  return trials_.try_emplace(number, number, candidates).first->second;
}

}  // namespace bowline::coll
