// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/shares.hpp"

namespace bowline::coll {

Task reduce_scatter_slots(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Blocks& blocks = arguments.receive;
  const int rank = channel.rank();
  const int size = channel.size();
  const Shares shares(slots, size, blocks.uniform() ? blocks.each() : Shares::differ, arguments.reduction->element());
  const auto operand = [&](int member) {  // the blocks' base means nothing
    const std::ptrdiff_t offset = blocks[member].data() - blocks[0].data();
    return arguments.input.subspan(static_cast<std::size_t>(offset), blocks[member].size());
  };
  std::uint64_t rounds = 1;
  for (int member = 0; member < (blocks.uniform() ? 1 : size); ++member)
    rounds = std::max(rounds, shares.rounds(blocks[member].size()));
  auto vacant = slots.vacancy();
  co_await vacant;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    // Who has published this round has read all of the one before the last, in whose place this one goes. If the
    // result is the beginning of the input, what it overwrites has been written to the slot by then.
    for (int member = 0; member < size; ++member)
      channel.copy(shares.of(operand(member), round), shares.at(rank, round, member));
    slots.publish(round + 1);
    const std::span<std::byte> sum = shares.of(arguments.result, round);
    for (int member = size - 1; member >= 0; --member) {
      if (member != rank) {
        auto given = slots.reached(member, round + 1);
        co_await given;
      }
      const std::byte* const theirs = shares.at(member, round, rank);
      if (member == size - 1) {
        channel.copy({theirs, sum.size()}, sum.data());
      } else {
        channel.combine(*arguments.reduction, theirs, sum);
      }
    }
  }
}

}  // namespace bowline::coll
