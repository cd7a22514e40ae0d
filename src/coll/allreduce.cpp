// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <memory>

#include "coll/algorithms.hpp"

namespace bowline::coll {
namespace {

/// mine = lower (op) higher, whichever of the two is mine. `theirs` is overwritten.
void combine_in_order(const Reduction& reduction, bool mine_is_lower, std::span<std::byte> mine, std::byte* theirs) {
  if (mine_is_lower) {
    reduction.combine(mine.data(), theirs);
    std::copy_n(theirs, mine.size(), mine.data());
  } else {
    reduction.combine(theirs, mine.data());
  }
}

}  // namespace

Task allreduce_recursive_doubling(Channel& channel, const Reduction& reduction, std::span<std::byte> data) {
  const int rank = channel.rank();
  const int pairs = static_cast<int>(std::bit_floor(static_cast<unsigned>(channel.size())));
  const int folded = channel.size() - pairs;  // ranks 0 .. 2*folded-1 form pairs of which the even one steps back
  const auto theirs = std::make_unique_for_overwrite<std::byte[]>(data.size());
  const std::span<std::byte> incoming(theirs.get(), data.size());

  if (rank < 2 * folded && rank % 2 == 0) {
    auto given = channel.send(rank + 1, data);
    co_await given;
    auto result = channel.receive(rank + 1, data);
    co_await result;
    co_return;
  }
  if (rank < 2 * folded) {
    auto taken = channel.receive(rank - 1, incoming);
    co_await taken;
    combine_in_order(reduction, false, data, theirs.get());
  }

  const int position = rank < 2 * folded ? rank / 2 : rank - folded;
  for (int distance = 1; distance < pairs; distance *= 2) {
    const int other = position ^ distance;
    const int partner = other < folded ? 2 * other + 1 : other + folded;
    auto arrived = channel.receive(partner, incoming);
    auto sent = channel.send(partner, data);
    co_await sent;
    co_await arrived;
    combine_in_order(reduction, position < other, data, theirs.get());
  }

  if (rank < 2 * folded) {
    auto returned = channel.send(rank - 1, data);
    co_await returned;
  }
}

Task allreduce_reduce_bcast(Channel& channel, const Reduction& reduction, std::span<std::byte> data) {
  Task reduced = reduce_binomial(channel, 0, reduction, data);
  co_await reduced;
  Task spread = bcast_binomial(channel, 0, data);
  co_await spread;
}

}  // namespace bowline::coll
