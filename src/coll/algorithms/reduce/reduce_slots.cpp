// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slot_operand.hpp"
#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

struct SumAtRoot : SlotOperand {
  using SlotOperand::SlotOperand;

  bool in_place() const noexcept { return arguments.input.data() == arguments.result.data(); }
  /// Members wait for the root if a round overwrites an earlier one.
  bool tells(std::uint64_t) const noexcept { return pieces.rounds() > pieces.parts(); }
  void give(std::uint64_t round) {
    if (in_place()) SlotOperand::give(round);
  }
  void take(std::uint64_t round, int member) {
    const bool from_slot = member != channel.rank() || in_place();
    const std::byte* const operand = from_slot ? pieces.at(member, round) : pieces.of(arguments.input, round).data();
    add(round, member, channel.size() - 1, operand);
  }
};

}  // namespace

Task reduce_slots(Channel& channel, const Arguments& arguments) {
  const int root = arguments.root;
  if (channel.rank() != root) {
    const SlotOperand operand(channel, arguments, Pieces::overlapping);
    const SlotChunks& pieces = operand.pieces;
    // When the root has started a round, it has read the round before.
    return go_through(channel,
                      {.count = pieces.rounds(),
                       .readers = {root, root},
                       .from = pieces.parts(),
                       .ahead = pieces.parts() - 1,
                       .writes = pieces.writes()},
                      operand);
  }
  const SumAtRoot sum(channel, arguments, Pieces::overlapping);
  return go_through(channel,
                    {.count = sum.pieces.rounds(),
                     .sources = {channel.size() - 1},
                     .writes = sum.in_place() ? sum.pieces.writes() : Writes::nothing},
                    sum);
}

}  // namespace bowline::coll
