// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/lengths.hpp"
#include "coll/slots/rounds.hpp"
#include "coll/slots/slot_chunks.hpp"

namespace bowline::coll {
namespace {

std::size_t longest_of(const Blocks& all, int size) noexcept {
  std::size_t longest = all[0].size();
  for (int member = 1; !all.uniform() && member < size; ++member) longest = std::max(longest, all[member].size());
  return longest;
}

/// A member's own length determines where it writes, and its published length where the others read. Members must not
/// use other members' lengths as the caller gave them, because the members' knowledge of these may differ.
struct BlocksOfAll : RoundWork {
  Channel& channel;
  const Arguments& arguments;
  SlotChunks pieces;

  BlocksOfAll(Channel& of, const Arguments& with)
      : channel(of), arguments(with), pieces(of.slots(), longest_of(with.receive, of.size())) {}

  // A member that has published a round has read all of the round before the last one, whose place the new round
  // overwrites.
  void give(std::uint64_t round) {
    if (round == 0) channel.slots().tell_bytes(arguments.input.size());
    channel.copy(pieces.of(arguments.input, round), pieces.at(channel.rank(), round, arguments.input.size()));
  }
  void take(std::uint64_t round, int member) {
    const std::span<std::byte> block = arguments.receive[member];
    if (member == channel.rank()) {
      if (round == 0) channel.copy(arguments.input, block.data());
      return;
    }
    Slots& slots = channel.slots();
    if (round == 0 && slots.bytes_of(member) != block.size()) {
      const std::size_t sent = slots.bytes_of(member);
      // Members that disagree may have different numbers of rounds; other members may still wait for a piece of the
      // next round.
      pieces.rounds() > 1 ? slots.fail() : slots.abandon();
      refuse_length(member, sent, block.size());
    }
    const std::span<std::byte> piece = pieces.of(block, round);
    channel.copy({pieces.at(member, round, block.size()), piece.size()}, piece.data());
  }
};

}  // namespace

Task allgather_slots(Channel& channel, const Arguments& arguments) {
  const BlocksOfAll exchange(channel, arguments);
  return go_through(channel,
                    {.count = exchange.pieces.rounds(),
                     .sources = {channel.size() - 1},
                     .writes = SlotChunks::writes(arguments.input.size())},
                    exchange);
}

}  // namespace bowline::coll
