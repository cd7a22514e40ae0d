// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/slot_chunks.hpp"

namespace bowline::coll {
namespace {

/// The elements of a piece that a member combines.
struct Share {
  Share(std::size_t bytes, std::size_t element, int member, int members) noexcept {
    const std::size_t elements = bytes / element;
    const auto count = static_cast<std::size_t>(members);
    const auto index = static_cast<std::size_t>(member);
    first = elements * index / count * element;
    size = elements * (index + 1) / count * element - first;
  }
  std::size_t first;
  std::size_t size;
};

/// `root` gets the result; all members get it if `root` is negative.
Task combine_shares(Channel& channel, const Arguments& arguments, int root) {
  Slots& slots = channel.slots();
  const Reduction& reduction = *arguments.reduction;
  const SlotChunks pieces(slots, arguments.input.size(), reduction.element());
  const int rank = channel.rank();
  const int size = channel.size();
  const Scratch sums(channel, pieces.piece());
  auto vacant = slots.vacancy();
  co_await vacant;
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    // A member that has published an operand has read all results of the round before. So this piece may overwrite the
    // piece of two rounds before.
    const std::span<const std::byte> mine = pieces.of(arguments.input, round);
    const Share share(mine.size(), reduction.element(), rank, size);
    const std::span<std::byte> sum = sums.first(share.size);
    channel.copy(mine, pieces.at(rank, round));
    slots.publish(2 * round + 1);
    for (int member = size - 1; member >= 0; --member) {
      if (member != rank) {
        auto given = slots.reached(member, 2 * round + 1);
        co_await given;
      }
      const std::byte* const operand = pieces.at(member, round) + share.first;
      if (member == size - 1) {
        channel.copy({operand, sum.size()}, sum.data());
      } else {
        channel.combine(reduction, operand, sum);
      }
    }
    channel.copy(sum, pieces.at(rank, round) + share.first);  // no other member reads the operand there
    slots.publish(2 * round + 2);
    if (root >= 0 && root != rank) continue;
    const std::span<std::byte> result = pieces.of(arguments.result, round);
    for (int member = 0; member < size; ++member) {
      const Share theirs(mine.size(), reduction.element(), member, size);
      if (member != rank) {
        auto summed = slots.reached(member, 2 * round + 2);
        co_await summed;
      }
      channel.copy({pieces.at(member, round) + theirs.first, theirs.size}, result.data() + theirs.first);
    }
  }
}

}  // namespace

Task allreduce_shares(Channel& channel, const Arguments& arguments) {
  return combine_shares(channel, arguments, -1);
}

Task reduce_shares(Channel& channel, const Arguments& arguments) {
  return combine_shares(channel, arguments, arguments.root);
}

}  // namespace bowline::coll
