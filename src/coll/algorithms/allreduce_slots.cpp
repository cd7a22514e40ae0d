// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/pieces.hpp"
#include "coll/rounds.hpp"

namespace bowline::coll {
namespace {

struct Sum : RoundWork {
  Channel& channel;
  const Arguments& arguments;
  Pieces pieces;

  Sum(Channel& of, const Arguments& with)
      : channel(of), arguments(with), pieces(of.slots(), with.result.size(), with.reduction->element()) {}

  // Who has published this round has read all of the one before the last, in whose place this one goes.
  void give(std::uint64_t round) { channel.copy(pieces.of(arguments.input, round), pieces.at(channel.rank(), round)); }
  void take(std::uint64_t round, int member) {
    const std::span<std::byte> sum = pieces.of(arguments.result, round);
    if (member == channel.size() - 1) {
      channel.copy({pieces.at(member, round), sum.size()}, sum.data());
    } else {
      channel.combine(*arguments.reduction, pieces.at(member, round), sum);
    }
  }
};

}  // namespace

Task allreduce_slots(Channel& channel, const Arguments& arguments) {
  const Sum sum(channel, arguments);
  return go_through(channel, {.count = sum.pieces.rounds(), .sources = {channel.size() - 1}}, sum);
}

}  // namespace bowline::coll
