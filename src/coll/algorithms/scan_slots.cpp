// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/pieces.hpp"

namespace bowline::coll {
namespace {

/// Each member combines the operands of those below `own` + its rank.
Task combine_below(Channel& channel, const Arguments& arguments, int own) {
  Slots& slots = channel.slots();
  const Pieces pieces(slots, arguments.input.size(), arguments.reduction->element());
  const int rank = channel.rank();
  const int last = rank - 1 + own;
  auto vacant = slots.vacancy(pieces.noted());
  co_await vacant;
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    for (int reader = rank + 1; round >= 2 && reader < channel.size(); ++reader) {
      auto read = slots.reached(reader, round);  // it has published the round before, and so read the one before that
      co_await read;
    }
    channel.copy(pieces.of(arguments.input, round), pieces.at(rank, round));
    slots.publish(round + 1);
    if (last < 0) continue;
    const std::span<std::byte> sum = pieces.of(arguments.result, round);
    for (int member = last; member >= 0; --member) {
      if (member != rank) {
        auto given = slots.reached(member, round + 1);
        co_await given;
      }
      if (member == last) {
        channel.copy({pieces.at(member, round), sum.size()}, sum.data());
      } else {
        channel.combine(*arguments.reduction, pieces.at(member, round), sum);
      }
    }
  }
}

}  // namespace

Task scan_slots(Channel& channel, const Arguments& arguments) {
  return combine_below(channel, arguments, 1);
}

Task exscan_slots(Channel& channel, const Arguments& arguments) {
  return combine_below(channel, arguments, 0);
}

}  // namespace bowline::coll
