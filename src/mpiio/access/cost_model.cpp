// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/access/cost_model.hpp"

#include <algorithm>

namespace bowline::mpiio {
namespace {

constexpr std::size_t by_pieces = 0, by_span = 1;

// The costs of pieces and of spans are not comparable: an access decides by the number of pieces or the length of the
// span that it needs. A span may be arbitrarily long, so a span that is expected to take much longer is never tried. An
// access is long, and there are few, so the interval between two explorations does not grow.
constexpr Tuner::Rules cost_rules{.statistic = CostSample::Statistic::median,
                                  .length = 1,
                                  .until_first = 32,
                                  .first_interval = 32,
                                  .longest_interval = 32,
                                  .never_beyond = 3,
                                  .caller_decides = true};

// The part of the cost of a piece that grows with its length.
constexpr double per_data_byte = 0.1;
// The first guesses of the costs; the first accesses correct them.
constexpr Tuner::Costs local{500, 0.4F, Tuner::unknown, Tuner::unknown};
constexpr Tuner::Costs distant{50'000, 2, Tuner::unknown, Tuner::unknown};
// The cost of longer pieces is that of their bytes.
constexpr std::size_t longest_telling = 16 << 10;

}  // namespace

CostModel::CostModel(bool remote) noexcept : tuner_(cost_rules, 2, remote ? distant : local) {}

bool CostModel::prefers_span(const Sample& sample) noexcept {
  const std::lock_guard lock(mutex_);
  Tuner::Costs costs = Tuner::all_unknown();
  costs[by_pieces] = static_cast<float>(static_cast<double>(sample.pieces) * tuner_.cost(by_pieces) +
                                        static_cast<double>(sample.data) * per_data_byte);
  costs[by_span] = static_cast<float>(sample.span) * tuner_.cost(by_span);
  tuner_.decide(costs);
  return tuner_.next({.costs = &costs}).candidate == by_span;
}

void CostModel::moved_pieces(const Sample& sample, std::chrono::nanoseconds time) noexcept {
  if (sample.pieces == 0 || sample.data / sample.pieces > longest_telling) return;
  const double beyond = static_cast<double>(time.count()) - static_cast<double>(sample.data) * per_data_byte;
  const std::lock_guard lock(mutex_);
  tuner_.took(by_pieces, static_cast<float>(std::max(1.0, beyond / static_cast<double>(sample.pieces))));
}

void CostModel::moved_span(const Sample& sample, std::chrono::nanoseconds time) noexcept {
  if (sample.span == 0) return;
  const std::lock_guard lock(mutex_);
  tuner_.took(by_span,
              static_cast<float>(std::max(0.01, static_cast<double>(time.count()) / static_cast<double>(sample.span))));
}

}  // namespace bowline::mpiio
