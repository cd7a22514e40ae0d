// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slot_operand.hpp"
#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

/// Each member combines the operands of the members up to `last`.
struct SumBelow : SlotOperand {
  int last;

  SumBelow(Channel& of, const Arguments& with, int last_) : SlotOperand(of, with), last(last_) {}

  void take(std::uint64_t round, int member) { add(round, member, last, pieces.at(member, round)); }
};

Task combine_below(Channel& channel, const Arguments& arguments, int last) {
  const SumBelow sum(channel, arguments, last);
  // A reader that has published the round before has read the round before that.
  return go_through(channel,
                    {.count = sum.pieces.rounds(),
                     .sources = {last},
                     .readers = {channel.size() - 1, channel.rank() + 1},
                     .ahead = 1,
                     .writes = sum.pieces.writes()},
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
