// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/access/cost_model.hpp"

#include <algorithm>

namespace bowline::mpiio {
namespace {

// The part of the cost of a piece that grows with its length.
constexpr double per_data_byte = 0.1;

// The first guesses; the first accesses correct them.
constexpr double local_piece = 500, local_span_byte = 0.4;
constexpr double remote_piece = 50'000, remote_span_byte = 2;

// How much a new measurement counts.
constexpr double weight = 0.2;
// A measurement counts at most this many times the known cost: a process that loses its core measures something else.
constexpr double most_growth = 4;
// The cost of longer pieces is that of their bytes.
constexpr std::size_t longest_telling = 16 << 10;
// Every so many answers the more expensive way is tried, unless it costs this many times more.
constexpr std::uint32_t answers_per_trial = 32;
constexpr double most_for_trial = 3;

void learn(std::atomic<double>& known, double measured) noexcept {
  const double before = known.load(std::memory_order_relaxed);
  known.store(before + weight * (std::min(measured, most_growth * before) - before), std::memory_order_relaxed);
}

}  // namespace

CostModel::CostModel(bool remote) noexcept
    : per_piece_(remote ? remote_piece : local_piece), per_span_byte_(remote ? remote_span_byte : local_span_byte) {}

double CostModel::pieces_cost(const Sample& sample) const noexcept {
  return static_cast<double>(sample.pieces) * per_piece_.load(std::memory_order_relaxed) +
         static_cast<double>(sample.data) * per_data_byte;
}

double CostModel::span_cost(const Sample& sample) const noexcept {
  return static_cast<double>(sample.span) * per_span_byte_.load(std::memory_order_relaxed);
}

bool CostModel::prefers_span(const Sample& sample) noexcept {
  const double pieces = pieces_cost(sample), span = span_cost(sample);
  const bool trial = answers_.fetch_add(1, std::memory_order_relaxed) % answers_per_trial == answers_per_trial - 1 &&
                     std::max(pieces, span) < most_for_trial * std::min(pieces, span);
  return (span < pieces) != trial;
}

void CostModel::moved_pieces(const Sample& sample, std::chrono::nanoseconds time) noexcept {
  if (sample.pieces == 0 || sample.data / sample.pieces > longest_telling) return;
  const double beyond = static_cast<double>(time.count()) - static_cast<double>(sample.data) * per_data_byte;
  learn(per_piece_, std::max(1.0, beyond / static_cast<double>(sample.pieces)));
}

void CostModel::moved_span(const Sample& sample, std::chrono::nanoseconds time) noexcept {
  if (sample.span == 0) return;
  learn(per_span_byte_, std::max(0.01, static_cast<double>(time.count()) / static_cast<double>(sample.span)));
}

}  // namespace bowline::mpiio
