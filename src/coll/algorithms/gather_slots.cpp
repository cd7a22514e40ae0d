// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/pieces.hpp"

namespace bowline::coll {
namespace {

Task give(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Pieces pieces(slots, arguments.input.size());
  while (!slots.vacant()) {
    auto left = slots.left();
    co_await left;
  }
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
  const Blocks& all = arguments.receive;
  channel.copy(arguments.input, all[channel.rank()].data());
  std::uint64_t rounds = 1;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (int member = 0; member < channel.size(); ++member) {
      if (member == channel.rank()) continue;
      const Pieces pieces(slots, all[member].size());
      rounds = std::max(rounds, pieces.rounds());
      if (round >= pieces.rounds()) continue;
      auto given = slots.reached(member, round + 1);
      co_await given;
      const std::span<std::byte> piece = pieces.of(all[member], round);
      channel.copy({pieces.at(member, round), piece.size()}, piece.data());
    }
    if (rounds > 2) slots.publish(round + 1);
  }
}

}  // namespace

Task gather_slots(Channel& channel, const Arguments& arguments) {
  return channel.rank() == arguments.root ? take(channel, arguments) : give(channel, arguments);
}

}  // namespace bowline::coll
