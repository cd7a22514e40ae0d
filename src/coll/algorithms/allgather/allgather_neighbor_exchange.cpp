// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allgather/allgather.hpp"

namespace bowline::coll {

Task allgather_neighbor_exchange(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int rank = channel.rank();
  if (size % 2 != 0) {
    Task around = allgather_ring(channel, arguments);
    co_await around;
    co_return;
  }
  const Blocks& all = arguments.receive;
  channel.copy(arguments.input, all[rank].data());
  const int buddy = rank ^ 1;
  auto other_half = channel.receive(buddy, all[buddy]);
  auto own_half = channel.send(buddy, all[rank]);
  co_await own_half;
  co_await other_half;

  // From here on the blocks of two partners travel together. Each step receives the next farther pair, alternately from
  // below and from above, and forwards the pair of the step before.
  const int pairs = size / 2;
  int latest = rank / 2;
  for (int step = 1; step < pairs; ++step) {
    const int side = rank % 2 == step % 2 ? 1 : -1;
    const int partner = (rank + side + size) % size;
    const int next = (rank / 2 + side * ((step + 1) / 2) + pairs) % pairs;
    auto arrived = channel.receive(partner, all.run(2 * next, 2));
    auto sent = channel.send(partner, all.run(2 * latest, 2));
    co_await sent;
    co_await arrived;
    latest = next;
  }
}

}  // namespace bowline::coll
