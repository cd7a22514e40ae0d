// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/fold.hpp"
#include "coll/algorithms/reduce/reduce.hpp"
#include "coll/algorithms/vector_parts.hpp"

namespace bowline::coll {

Task reduce_rabenseifner(Channel& channel, const Arguments& arguments) {
  const Reduction& reduction = *arguments.reduction;
  const std::size_t element = reduction.element();
  const std::size_t bytes = arguments.input.size();
  const int rank = channel.rank();
  const int root = arguments.root;
  const Fold fold(channel.size(), root);
  if (!fold.acts(rank)) {
    auto given = channel.send(rank ^ 1, arguments.input);
    co_await given;
    co_return;
  }

  const Scratch memory(channel, rank == root ? 0 : bytes);
  const std::span<std::byte> data = rank == root ? arguments.result : memory;
  const Scratch theirs(channel, fold.shares(rank) ? bytes : halves(data, element).lower.size());
  std::span<const std::byte> have = arguments.input;  // from the first combination on `data`
  const auto in_hand = [&](std::span<std::byte> part) {
    return have.subspan(static_cast<std::size_t>(part.data() - data.data()), part.size());
  };
  const auto combine = [&](bool mine_is_lower, std::span<std::byte> part) {
    channel.copy(in_hand(part), part.data());
    combine_in_order(channel, reduction, mine_is_lower, part, theirs.first(part.size()));
    have = data;
  };
  if (fold.shares(rank)) {
    auto taken = channel.receive(rank ^ 1, theirs);
    co_await taken;
    combine(rank % 2 == 0, data);
  }

  // Reduce and scatter: each of two partners continues with one half.
  const int position = fold.position(rank);
  for (int distance = 1; distance < fold.positions; distance *= 2) {
    const int other = position ^ distance;
    const std::span<std::byte> kept = left_to(position, 2 * distance, data, element);
    auto arrived = channel.receive(fold.actor(other), theirs.first(kept.size()));
    auto sent = channel.send(fold.actor(other), in_hand(left_to(other, 2 * distance, data, element)));
    co_await sent;
    co_await arrived;
    combine(position < other, kept);
  }
  // Gather the halves towards the root.
  for (int distance = fold.positions / 2; distance > 0; distance /= 2) {
    const int other = position ^ distance;
    if ((position & distance) != (fold.position(root) & distance)) {
      auto handed_over = channel.send(fold.actor(other), left_to(position, 2 * distance, data, element));
      co_await handed_over;
      co_return;
    }
    auto arrived = channel.receive(fold.actor(other), left_to(other, 2 * distance, data, element));
    co_await arrived;
  }
  channel.copy(have, data.data());  // a single member has combined nothing
}

}  // namespace bowline::coll
