// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/lengths.hpp"
#include "coll/pieces.hpp"

namespace bowline::coll {

Task allgather_slots(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Blocks& all = arguments.receive;
  const int rank = channel.rank();
  std::size_t longest = all[0].size();
  for (int member = 1; !all.uniform() && member < channel.size(); ++member)
    longest = std::max(longest, all[member].size());
  const Pieces pieces(slots, longest);
  auto vacant = slots.vacancy();
  co_await vacant;
  slots.tell_bytes(arguments.input.size());
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    // Who has published this round has read all of the one before the last, in whose place this one goes.
    channel.copy(pieces.of(arguments.input, round), pieces.at(rank, round));
    slots.publish(round + 1);
    if (round == 0) channel.copy(arguments.input, all[rank].data());
    for (int member = 0; member < channel.size(); ++member) {
      if (member == rank) continue;
      auto given = slots.reached(member, round + 1);
      co_await given;
      if (round == 0 && slots.bytes_of(member) != all[member].size()) {
        const std::size_t sent = slots.bytes_of(member);
        slots.give_up();  // members that disagree may have different numbers of rounds
        refuse_length(member, sent, all[member].size());
      }
      const std::span<std::byte> piece = pieces.of(all[member], round);
      channel.copy({pieces.at(member, round), piece.size()}, piece.data());
    }
  }
}

}  // namespace bowline::coll
