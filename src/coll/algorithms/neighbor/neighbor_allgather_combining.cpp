// SPDX-License-Identifier: BSD-3-Clause
#include <utility>

#include "coll/algorithms/neighbor/neighbor.hpp"

namespace bowline::coll {
namespace {

/// The first neighbour with the same offsets as `neighbour` in the dimensions before `end`.
int leader_of(const Torus& torus, int neighbour, int end) {
  const auto same_way = [&](int other) {
    for (int dimension = 0; dimension < end; ++dimension) {
      if (torus.offset(other, dimension) != torus.offset(neighbour, dimension)) return false;
    }
    return true;
  };
  int leader = 0;
  while (!same_way(leader)) ++leader;
  return leader;
}

}  // namespace

Task neighbor_allgather_combining(Channel& channel, const Arguments& arguments) {
  const Neighbours& neighbours = *arguments.neighbours;
  if (neighbours.torus == nullptr || !arguments.receive.uniform()) {
    Task straight = neighbor_allgather_linear(channel, arguments);
    co_await straight;
    co_return;
  }
  const Torus& torus = *neighbours.torus;
  const int count = static_cast<int>(neighbours.destinations.size());
  const std::size_t block = arguments.input.size();
  const auto bytes = [block](int blocks) { return static_cast<std::size_t>(blocks) * block; };
  const Scratch memory(channel, bytes(2 * count));
  const Scratch going(channel, bytes(count));
  const Scratch coming(channel, bytes(count));
  // Block i, if i is a leader: the block that has travelled towards neighbour i so far; and the same block after the
  // next dimension.
  std::byte* held = memory.data();
  std::byte* next = memory.data() + bytes(count);
  if (count > 0) channel.copy(arguments.input, held);

  for (int dimension = 0; dimension < torus.dimensions(); ++dimension) {
    const auto leads = [&](int i) { return leader_of(torus, i, dimension + 1) == i; };
    for (int first = 0; first < count; ++first) {
      // One message for each distance, sent at the first block with that distance.
      const int distance = torus.offset(first, dimension);
      bool seen = false;
      for (int i = 0; !seen && i < first; ++i) seen = torus.offset(i, dimension) == distance;
      if (seen) continue;

      int moving = 0;
      for (int i = first; i < count; ++i) {
        if (torus.offset(i, dimension) != distance || !leads(i)) continue;
        const std::byte* const so_far = held + bytes(leader_of(torus, i, dimension));
        channel.copy({so_far, block}, (distance == 0 ? next + bytes(i) : going.data() + bytes(moving)));
        ++moving;
      }
      if (distance == 0) continue;
      auto arrived = channel.receive(torus.moved(channel.rank(), dimension, -distance), coming.first(bytes(moving)));
      auto sent = channel.send(torus.moved(channel.rank(), dimension, distance), going.first(bytes(moving)));
      co_await sent;
      co_await arrived;
      moving = 0;
      for (int i = first; i < count; ++i) {
        if (torus.offset(i, dimension) != distance || !leads(i)) continue;
        channel.copy(coming.subspan(bytes(moving++), block), next + bytes(i));
      }
    }
    std::swap(held, next);
  }
  for (int i = 0; i < count; ++i) {
    const std::byte* const mine = held + bytes(leader_of(torus, i, torus.dimensions()));
    channel.copy({mine, block}, arguments.receive[neighbours.grid ? i ^ 1 : i].data());
  }
}

}  // namespace bowline::coll
