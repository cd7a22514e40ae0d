// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/pieces.hpp"

namespace bowline::coll {
namespace {

Task give(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Blocks& all = arguments.send;
  while (!slots.vacant()) {
    auto left = slots.left();
    co_await left;
  }
  std::uint64_t rounds = 1;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (int member = 0; member < channel.size(); ++member) {
      if (member == channel.rank()) continue;
      const Pieces pieces(slots, all[member].size());
      rounds = std::max(rounds, pieces.rounds());
      if (round >= pieces.rounds()) continue;
      if (round >= 2) {
        auto taken = slots.reached(member, round - 1);
        co_await taken;
      }
      channel.copy(pieces.of(all[member], round), pieces.at(member, round));
    }
    slots.publish(round + 1);
  }
  channel.copy(all[channel.rank()], arguments.result.data());
}

Task take(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Pieces pieces(slots, arguments.result.size());
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    auto given = slots.reached(arguments.root, round + 1);
    co_await given;
    const std::span<std::byte> piece = pieces.of(arguments.result, round);
    channel.copy({pieces.at(channel.rank(), round), piece.size()}, piece.data());
    if (pieces.rounds() > 2) slots.publish(round + 1);
  }
}

}  // namespace

Task scatter_slots(Channel& channel, const Arguments& arguments) {
  return channel.rank() == arguments.root ? give(channel, arguments) : take(channel, arguments);
}

}  // namespace bowline::coll
