// SPDX-License-Identifier: BSD-3-Clause
#include <bit>

#include "coll/algorithms/allreduce.hpp"

namespace bowline::coll {
namespace {

/// mine = lower (op) higher, whichever of the two is mine. `theirs` is overwritten.
void combine_in_order(Channel& channel, const Reduction& reduction, bool mine_is_lower, std::span<std::byte> mine,
                      std::span<std::byte> theirs) {
  if (mine_is_lower && !reduction.commutative()) {
    channel.combine(reduction, mine.data(), theirs);
    channel.copy(theirs, mine.data());
  } else {
    channel.combine(reduction, theirs.data(), mine);
  }
}

}  // namespace

Task allreduce_recursive_doubling(Channel& channel, const Arguments& arguments) {
  const Reduction& reduction = *arguments.reduction;
  const std::span<std::byte> data = arguments.result;
  const int rank = channel.rank();
  const int pairs = static_cast<int>(std::bit_floor(static_cast<unsigned>(channel.size())));
  const int folded = channel.size() - pairs;  // ranks 0 .. 2*folded-1 form pairs of which the even one steps back

  if (rank < 2 * folded && rank % 2 == 0) {
    auto given = channel.send(rank + 1, arguments.input);
    co_await given;
    auto result = channel.receive(rank + 1, data);
    co_await result;
    co_return;
  }
  channel.copy(arguments.input, data.data());
  const Scratch theirs(channel, data.size());
  if (rank < 2 * folded) {
    auto taken = channel.receive(rank - 1, theirs);
    co_await taken;
    combine_in_order(channel, reduction, false, data, theirs);
  }

  const int position = rank < 2 * folded ? rank / 2 : rank - folded;
  for (int distance = 1; distance < pairs; distance *= 2) {
    const int other = position ^ distance;
    const int partner = other < folded ? 2 * other + 1 : other + folded;
    auto arrived = channel.receive(partner, theirs);
    auto sent = channel.send(partner, data);
    co_await sent;
    co_await arrived;
    combine_in_order(channel, reduction, position < other, data, theirs);
  }

  if (rank < 2 * folded) {
    auto returned = channel.send(rank - 1, data);
    co_await returned;
  }
}

}  // namespace bowline::coll
