// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/alltoall/alltoall.hpp"

namespace bowline::coll {

Task alltoall_bruck(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int rank = channel.rank();
  const std::size_t block = arguments.send.each();
  const Scratch turned(channel,
                       static_cast<std::size_t>(size) * block);  // block i is for the member i above this member
  const Scratch going(channel, static_cast<std::size_t>(size / 2) * block);
  const Scratch coming(channel, static_cast<std::size_t>(size / 2) * block);
  const auto blocks = [block](const Scratch& memory, int first, int count) {
    return memory.subspan(static_cast<std::size_t>(first) * block, static_cast<std::size_t>(count) * block);
  };
  channel.copy(arguments.send.run(rank, size - rank), turned.data());
  channel.copy(arguments.send.run(0, rank), blocks(turned, size - rank, rank).data());

  // A block travels the distance of its number, one power of two per round. The blocks that move in a round lie in runs
  // of `distance`; the received blocks replace the sent ones.
  for (int distance = 1; distance < size; distance *= 2) {
    int moving = 0;
    for (int first = distance; first < size; first += 2 * distance) {
      const int run = std::min(distance, size - first);
      channel.copy(blocks(turned, first, run), blocks(going, moving, run).data());
      moving += run;
    }
    auto arrived = channel.receive((rank - distance + size) % size, blocks(coming, 0, moving));
    auto sent = channel.send((rank + distance) % size, blocks(going, 0, moving));
    co_await sent;
    co_await arrived;
    moving = 0;
    for (int first = distance; first < size; first += 2 * distance) {
      const int run = std::min(distance, size - first);
      channel.copy(blocks(coming, moving, run), blocks(turned, first, run).data());
      moving += run;
    }
  }
  for (int below = 0; below < size; ++below) {
    channel.copy(blocks(turned, below, 1), arguments.receive[(rank - below + size) % size].data());
  }
}

}  // namespace bowline::coll
