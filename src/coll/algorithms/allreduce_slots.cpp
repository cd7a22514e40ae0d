// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/pieces.hpp"

namespace bowline::coll {

Task allreduce_slots(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Pieces pieces(slots, arguments.result.size(), arguments.reduction->element());
  const int rank = channel.rank();
  const int last = channel.size() - 1;
  auto vacant = slots.vacancy();
  co_await vacant;
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    // Who has published this round has read all of the one before the last, in whose place this one goes.
    const std::span<std::byte> sum = pieces.of(arguments.result, round);
    channel.copy(pieces.of(arguments.input, round), pieces.at(rank, round));
    slots.publish(round + 1);
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

}  // namespace bowline::coll
