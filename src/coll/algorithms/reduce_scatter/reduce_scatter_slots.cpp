// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/rounds.hpp"
#include "coll/slots/shares.hpp"

namespace bowline::coll {
namespace {

struct BlockSum : RoundWork {
  Channel& channel;
  const Arguments& arguments;
  Shares shares;
  std::uint64_t rounds;

  BlockSum(Channel& of, const Arguments& with)
      : channel(of),
        arguments(with),
        shares(of.slots(), of.size(), with.receive.uniform() ? with.receive.each() : Shares::differ,
               with.reduction->element(), Shares::Differing::abreast),
        rounds(most_rounds()) {}

  std::uint64_t most_rounds() const noexcept {
    const Blocks& blocks = arguments.receive;
    std::uint64_t most = 1;
    for (int member = 0; member < (blocks.uniform() ? 1 : channel.size()); ++member)
      most = std::max(most, shares.rounds(blocks[member].size()));
    return most;
  }
  /// This process's operand for the member's block; the base of the blocks has no meaning.
  std::span<const std::byte> operand(int member) const noexcept {
    const Blocks& blocks = arguments.receive;
    const std::ptrdiff_t offset = blocks[member].data() - blocks[0].data();
    return arguments.input.subspan(static_cast<std::size_t>(offset), blocks[member].size());
  }

  /// A member without a result of its own needs nobody's operands. In several rounds, however, others must not fall
  /// back by more than one.
  bool takes_from(std::uint64_t, int) const noexcept { return rounds > 1 || !arguments.result.empty(); }
  // A member that has published a round has read all of the round before the last one, whose place the new round
  // overwrites. If the result is the beginning of the input, the overwritten operands are already in the slot, because
  // all blocks progress equally.
  void give(std::uint64_t round) {
    for (int member = 0; member < channel.size(); ++member) {
      const std::span<const std::byte> block = operand(member);
      channel.copy(shares.of(block, round), shares.at(channel.rank(), round, member, block.size()));
    }
  }
  void take(std::uint64_t round, int member) {
    const std::span<std::byte> sum = shares.of(arguments.result, round);
    const std::byte* const theirs = shares.at(member, round, channel.rank(), arguments.result.size());
    if (member == channel.size() - 1) {
      channel.copy({theirs, sum.size()}, sum.data());
    } else {
      channel.combine(*arguments.reduction, theirs, sum);
    }
  }
};

}  // namespace

Task reduce_scatter_slots(Channel& channel, const Arguments& arguments) {
  const BlockSum sum(channel, arguments);
  return go_through(channel, {.count = sum.rounds, .sources = {channel.size() - 1}, .writes = sum.shares.writes()},
                    sum);
}

}  // namespace bowline::coll
