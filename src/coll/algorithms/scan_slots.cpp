// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/pieces.hpp"
#include "coll/rounds.hpp"

namespace bowline::coll {
namespace {

/// Each member combines the operands of those up to `last`.
struct SumBelow : RoundWork {
  Channel& channel;
  const Arguments& arguments;
  Pieces pieces;
  int last;

  SumBelow(Channel& of, const Arguments& with, int last_)
      : channel(of), arguments(with), pieces(of.slots(), with.input.size(), with.reduction->element()), last(last_) {}

  void give(std::uint64_t round) { channel.copy(pieces.of(arguments.input, round), pieces.at(channel.rank(), round)); }
  void take(std::uint64_t round, int member) {
    const std::span<std::byte> sum = pieces.of(arguments.result, round);
    if (member == last) {
      channel.copy({pieces.at(member, round), sum.size()}, sum.data());
    } else {
      channel.combine(*arguments.reduction, pieces.at(member, round), sum);
    }
  }
};

Task combine_below(Channel& channel, const Arguments& arguments, int last) {
  const SumBelow sum(channel, arguments, last);
  // A reader that has published the round before has read the one before that.
  return go_through(channel,
                    {.count = sum.pieces.rounds(),
                     .sources = {last},
                     .readers = {channel.size() - 1, channel.rank() + 1},
                     .ahead = 1,
                     .notes_only = sum.pieces.noted()},
                    sum);
}

}  // namespace

Task scan_slots(Channel& channel, const Arguments& arguments) {
  return combine_below(channel, arguments, channel.rank());
}

Task exscan_slots(Channel& channel, const Arguments& arguments) {
  return combine_below(channel, arguments, channel.rank() - 1);
}

}  // namespace bowline::coll
