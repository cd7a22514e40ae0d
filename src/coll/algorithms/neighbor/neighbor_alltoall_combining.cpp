// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/neighbor/neighbor.hpp"

namespace bowline::coll {

Task neighbor_alltoall_combining(Channel& channel, const Arguments& arguments) {
  const Neighbours& neighbours = *arguments.neighbours;
  if (neighbours.torus == nullptr || !arguments.send.uniform() || !arguments.receive.uniform()) {
    Task straight = neighbor_alltoall_linear(channel, arguments);
    co_await straight;
    co_return;
  }
  const Torus& torus = *neighbours.torus;
  const int count = static_cast<int>(neighbours.destinations.size());
  const std::size_t block = arguments.send.each();
  const auto bytes = [block](int blocks) { return static_cast<std::size_t>(blocks) * block; };
  const Scratch held(channel, bytes(count));  // block i: the block that is here now and has i dimensions to go
  const Scratch going(channel, bytes(count));
  const Scratch coming(channel, bytes(count));
  channel.copy(arguments.send.run(0, count), held.data());

  for (int dimension = 0; dimension < torus.dimensions(); ++dimension) {
    for (int leader = 0; leader < count; ++leader) {
      // One message for each distance, sent at the first block with that distance.
      const int distance = torus.offset(leader, dimension);
      bool first = distance != 0;
      for (int i = 0; first && i < leader; ++i) first = torus.offset(i, dimension) != distance;
      if (!first) continue;

      int moving = 0;
      for (int i = leader; i < count; ++i) {
        if (torus.offset(i, dimension) != distance) continue;
        channel.copy(held.subspan(bytes(i), block), going.data() + bytes(moving++));
      }
      auto arrived = channel.receive(torus.moved(channel.rank(), dimension, -distance), coming.first(bytes(moving)));
      auto sent = channel.send(torus.moved(channel.rank(), dimension, distance), going.first(bytes(moving)));
      co_await sent;
      co_await arrived;
      moving = 0;
      for (int i = leader; i < count; ++i) {
        if (torus.offset(i, dimension) != distance) continue;
        channel.copy(coming.subspan(bytes(moving++), block), held.data() + bytes(i));
      }
    }
  }
  for (int i = 0; i < count; ++i) {
    channel.copy(held.subspan(bytes(i), block), arguments.receive[neighbours.grid ? i ^ 1 : i].data());
  }
}

}  // namespace bowline::coll
