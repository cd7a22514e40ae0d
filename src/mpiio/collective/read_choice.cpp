// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/collective/read_choice.hpp"

#include <bit>

namespace bowline::mpiio {
namespace {

constexpr Tuner::Rules read_rules{.statistic = CostSample::Statistic::median,
                                  .first_length = 3,
                                  .length = 2,
                                  .first_interval = 64,
                                  .longest_interval = 1 << 12,
                                  .never_beyond = 4};

}  // namespace

void ReadChoice::learn(const Summary& all) noexcept {
  if (!last_) return;
  Tuner& tuner = *tuners_[last_->length_class];
  if (all.time > 0) {
    tuner.took(last_->way, static_cast<float>(all.time) / last_->bytes);
  } else {
    tuner.lost(last_->way);
  }
  last_.reset();
}

bool ReadChoice::by_windows(const Summary& all, bool guess, bool timed) noexcept {
  if (all.pieces == 0) return guess;
  const int bits = std::bit_width(static_cast<std::uint64_t>(all.looked / all.pieces)) - 1;
  if (bits < shortest_bits || bits >= longest_bits) return guess;
  const auto length_class = static_cast<std::size_t>(bits - shortest_bits);
  std::optional<Tuner>& tuner = tuners_[length_class];
  if (!tuner) tuner.emplace(read_rules, 2).use(guess ? by_window : by_piece);
  if (!timed) return tuner->in_use() == by_window;
  const Tuner::Next next = tuner->next({});
  if (next.timed) last_ = {length_class, next.candidate, static_cast<float>(all.end - all.begin)};
  return next.candidate == by_window;
}

}  // namespace bowline::mpiio
