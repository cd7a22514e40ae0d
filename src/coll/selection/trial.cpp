// SPDX-License-Identifier: BSD-3-Clause
#include "coll/selection/trial.hpp"

#include <algorithm>
#include <bit>

#include "coll/slots/slot_memory.hpp"

namespace bowline::coll {

Trial::Trial(std::uint32_t number, std::span<const Algorithm* const> candidates) noexcept
    : number_(number), count_(std::min(candidates.size(), most_candidates)) {
  std::copy_n(candidates.begin(), count_, candidates_.begin());
  start_comparison();
}

void Trial::start_comparison() noexcept {
  times_.fill(not_measured);
  served_ = 0;
  measured_ = 0;
  while (left_out_[measured_]) ++measured_;  // the algorithm in use is never left out
}

Trial::Step Trial::next() noexcept {
  if (waiting_ > 0) {
    --waiting_;
    return Step::serve;
  }
  if (served_ == calls_each) {
    served_ = 0;
    do {
      ++measured_;
    } while (measured_ < count_ && left_out_[measured_]);
  }
  if (measured_ == count_) return Step::compare;
  ++served_;
  return Step::measure;
}

std::uint32_t Trial::plan() const noexcept {
  // The last term is greatest when all candidates have been measured: most_candidates * (calls_each + 1).
  constexpr int step_bits = 5;
  static_assert(most_candidates * (calls_each + 1) < 1U << step_bits);
  constexpr std::uint32_t comparisons = 1U << (SlotMemory::plan_bits - number_bits - step_bits);
  const std::uint32_t step = static_cast<std::uint32_t>(measured_) * (calls_each + 1) + served_;
  return ((number_ * comparisons + comparisons_ % comparisons) << step_bits) + step;
}

void Trial::took(float seconds) noexcept {
  float& least = times_[measured_];
  least = std::min(least, seconds);
}

bool Trial::decide(const Times& sums) noexcept {
  const auto end = sums.begin() + static_cast<std::ptrdiff_t>(count_);
  const auto best = static_cast<std::size_t>(std::min_element(sums.begin(), end) - sums.begin());
  const bool changes = sums[best] < clearly_less * sums[in_use_];
  if (changes) in_use_ = best;
  end_comparison();
  for (std::size_t i = 0; i < count_; ++i)
    left_out_[i] = comparisons_ % 2 == 1 && i != in_use_ && sums[i] > far_too_long * sums[best];
  start_comparison();
  return changes;
}

void Trial::give_up() noexcept {
  end_comparison();
  left_out_.fill(false);
  start_comparison();
}

void Trial::end_comparison() noexcept {
  ++comparisons_;
  waiting_ = comparisons_ == 1 ? calls_until_second : calls_between;
}

Trial& Trials::of(Operation operation, std::size_t bytes, bool ordered, std::span<const Algorithm* const> candidates) {
  const auto length_class = static_cast<std::uint32_t>(std::bit_width(std::min(bytes, longest_class + 1) - 1));
  static_assert(operations <= 32 && std::bit_width(longest_class) < 32 && Trial::number_bits == 11);
  const std::uint32_t number =
      (static_cast<std::uint32_t>(operation) * 32 + length_class) * 2 + static_cast<std::uint32_t>(ordered);
  return trials_.try_emplace(number, number, candidates).first->second;
}

}  // namespace bowline::coll
