// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/pieces.hpp"

namespace bowline::coll {
namespace {

/// A member's slot holds the result up to it, its own operand included.
Task pass_on(Channel& channel, const Arguments& arguments, bool inclusive) {
  Slots& slots = channel.slots();
  const Reduction& reduction = *arguments.reduction;
  const Pieces pieces(slots, arguments.input.size(), reduction.element());
  const int rank = channel.rank();
  const bool last = rank + 1 == channel.size();
  if (!last) {
    auto vacant = slots.vacancy(pieces.noted());
    co_await vacant;
  }
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    if (!last && round >= 2) {
      auto read = slots.reached(rank + 1, round - 1);
      co_await read;
    }
    if (rank > 0) {
      auto there = slots.reached(rank - 1, round + 1);
      co_await there;
    }
    const std::span<const std::byte> own = pieces.of(arguments.input, round);
    const std::span<std::byte> result = pieces.of(arguments.result, round);
    const std::byte* const below = rank > 0 ? pieces.at(rank - 1, round) : nullptr;
    const std::span<std::byte> sum = last ? result : std::span(pieces.at(rank, round), own.size());
    if (inclusive || !last) channel.copy(own, sum.data());
    if (rank > 0 && (inclusive || !last)) channel.combine(reduction, below, sum);
    if (rank > 0 && !inclusive) channel.copy({below, result.size()}, result.data());
    if (!last || pieces.rounds() > 2) slots.publish(round + 1);
    if (inclusive) channel.copy(rank > 0 ? sum : own, result.data());
  }
}

}  // namespace

Task scan_slots_pipeline(Channel& channel, const Arguments& arguments) {
  return pass_on(channel, arguments, true);
}

Task exscan_slots_pipeline(Channel& channel, const Arguments& arguments) {
  return pass_on(channel, arguments, false);
}

}  // namespace bowline::coll
