// SPDX-License-Identifier: BSD-3-Clause
// SlotOperand: a member's part in a reduction whose operands go through slots, piece by piece. Sums start with the last
// operand and continue to the first; each further operand is the left one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "coll/channel/arguments.hpp"
#include "coll/slots/rounds.hpp"
#include "coll/slots/slot_chunks.hpp"

namespace bowline::coll {

struct SlotOperand : RoundWork {
  Channel& channel;
  const Arguments& arguments;
  SlotChunks pieces;

  SlotOperand(Channel& of, const Arguments& with, Pieces how = Pieces::few)
      : channel(of), arguments(with), pieces(of.slots(), with.input.size(), with.reduction->element(), how) {}

  void give(std::uint64_t round) { channel.copy(pieces.of(arguments.input, round), pieces.at(channel.rank(), round)); }
  /// Adds a member's operand to this round's piece of the result, which starts with the operand of `last`.
  void add(std::uint64_t round, int member, int last, const std::byte* operand) {
    const std::span<std::byte> sum = pieces.of(arguments.result, round);
    if (member == last) {
      channel.copy({operand, sum.size()}, sum.data());
    } else {
      channel.combine(*arguments.reduction, operand, sum);
    }
  }
};

}  // namespace bowline::coll
