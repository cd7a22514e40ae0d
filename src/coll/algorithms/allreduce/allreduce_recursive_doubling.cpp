// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "coll/algorithms/fold.hpp"

namespace bowline::coll {

Task allreduce_recursive_doubling(Channel& channel, const Arguments& arguments) {
  const Reduction& reduction = *arguments.reduction;
  const std::span<std::byte> data = arguments.result;
  const int rank = channel.rank();
  const Fold fold(channel.size());

  if (!fold.acts(rank)) {
    auto given = channel.send(rank + 1, arguments.input);
    co_await given;
    auto result = channel.receive(rank + 1, data);
    co_await result;
    co_return;
  }
  channel.copy(arguments.input, data.data());
  const Scratch theirs(channel, data.size());
  if (fold.shares(rank)) {
    auto taken = channel.receive(rank - 1, theirs);
    co_await taken;
    combine_in_order(channel, reduction, false, data, theirs);
  }

  const int position = fold.position(rank);
  for (int distance = 1; distance < fold.positions; distance *= 2) {
    const int other = position ^ distance;
    const int partner = fold.actor(other);
    auto arrived = channel.receive(partner, theirs);
    auto sent = channel.send(partner, data);
    co_await sent;
    co_await arrived;
    combine_in_order(channel, reduction, position < other, data, theirs);
  }

  if (fold.shares(rank)) {
    auto returned = channel.send(rank - 1, data);
    co_await returned;
  }
}

}  // namespace bowline::coll
