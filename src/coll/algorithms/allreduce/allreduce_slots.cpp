// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slot_operand.hpp"
#include "coll/algorithms/through_slots.hpp"

namespace bowline::coll {
namespace {

// A member that has published a round has read all of the round before the last one, whose place the new round
// overwrites.
struct SumOfAll : SlotOperand {
  using SlotOperand::SlotOperand;

  void take(std::uint64_t round, int member) { add(round, member, channel.size() - 1, pieces.at(member, round)); }
};

}  // namespace

Task allreduce_slots(Channel& channel, const Arguments& arguments) {
  const SumOfAll sum(channel, arguments);
  return go_through(
      channel, {.count = sum.pieces.rounds(), .sources = {channel.size() - 1}, .writes = sum.pieces.writes()}, sum);
}

}  // namespace bowline::coll
