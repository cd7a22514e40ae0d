// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/pieces.hpp"
#include "coll/rounds.hpp"

namespace bowline::coll {
namespace {

struct Part : RoundWork {
  Channel& channel;
  const Arguments& arguments;
  Pieces pieces;

  Part(Channel& of, const Arguments& with)
      : channel(of), arguments(with), pieces(of.slots(), with.input.size(), with.reduction->element()) {}
};

struct Operand : Part {
  using Part::Part;

  void give(std::uint64_t round) { channel.copy(pieces.of(arguments.input, round), pieces.at(channel.rank(), round)); }
};

struct Sum : Part {
  using Part::Part;

  bool in_place() const noexcept { return arguments.input.data() == arguments.result.data(); }
  /// Members wait for the root where a third round takes the place of the first.
  bool tells(std::uint64_t) const noexcept { return pieces.rounds() > 2; }
  void give(std::uint64_t round) {
    if (in_place()) channel.copy(pieces.of(arguments.input, round), pieces.at(channel.rank(), round));
  }
  void take(std::uint64_t round, int member) {
    const std::span<std::byte> sum = pieces.of(arguments.result, round);
    const bool from_slot = member != channel.rank() || in_place();
    const std::byte* const operand = from_slot ? pieces.at(member, round) : pieces.of(arguments.input, round).data();
    if (member == channel.size() - 1) {
      channel.copy({operand, sum.size()}, sum.data());
    } else {
      channel.combine(*arguments.reduction, operand, sum);
    }
  }
};

}  // namespace

Task reduce_slots(Channel& channel, const Arguments& arguments) {
  const int root = arguments.root;
  if (channel.rank() != root) {
    const Operand operand(channel, arguments);
    // When the root has begun the round before it has read the one before that.
    return go_through(
        channel,
        {.count = operand.pieces.rounds(), .readers = {root, root}, .ahead = 1, .notes_only = operand.pieces.noted()},
        operand);
  }
  const Sum sum(channel, arguments);
  return go_through(channel,
                    {.count = sum.pieces.rounds(),
                     .sources = {channel.size() - 1},
                     .gives = sum.in_place(),
                     .notes_only = sum.pieces.noted()},
                    sum);
}

}  // namespace bowline::coll
