// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/pieces.hpp"

namespace bowline::coll {
namespace {

Task give(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Pieces pieces(slots, arguments.input.size(), arguments.reduction->element());
  auto vacant = slots.vacancy(pieces.noted());
  co_await vacant;
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    if (round >= 2) {
      auto taken = slots.reached(arguments.root, round - 1);
      co_await taken;
    }
    channel.copy(pieces.of(arguments.input, round), pieces.at(channel.rank(), round));
    slots.publish(round + 1);
  }
}

Task take(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Pieces pieces(slots, arguments.input.size(), arguments.reduction->element());
  const int rank = channel.rank();
  const bool in_place = arguments.input.data() == arguments.result.data();
  if (in_place) {
    auto vacant = slots.vacancy(pieces.noted());
    co_await vacant;
  }
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    const std::span<const std::byte> mine = pieces.of(arguments.input, round);
    const std::span<std::byte> sum = pieces.of(arguments.result, round);
    if (in_place) channel.copy(mine, pieces.at(rank, round));
    for (int member = channel.size() - 1; member >= 0; --member) {
      const std::byte* operand = in_place ? pieces.at(rank, round) : mine.data();
      if (member != rank) {
        auto given = slots.reached(member, round + 1);
        co_await given;
        operand = pieces.at(member, round);
      }
      if (member == channel.size() - 1) {
        channel.copy({operand, sum.size()}, sum.data());
      } else {
        channel.combine(*arguments.reduction, operand, sum);
      }
    }
    if (pieces.rounds() > 2) slots.publish(round + 1);
  }
}

}  // namespace

Task reduce_slots(Channel& channel, const Arguments& arguments) {
  return channel.rank() == arguments.root ? take(channel, arguments) : give(channel, arguments);
}

}  // namespace bowline::coll
