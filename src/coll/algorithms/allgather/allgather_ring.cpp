// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allgather/allgather.hpp"

namespace bowline::coll {

Task allgather_ring(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int rank = channel.rank();
  const int right = (rank + 1) % size;
  const int left = (rank - 1 + size) % size;
  const Blocks& all = arguments.receive;
  channel.copy(arguments.input, all[rank].data());

  // A block that arrives from the left in one step goes to the right in the next.
  for (int step = 0; step < size - 1; ++step) {
    auto arrived = channel.receive(left, all[(left - step + size) % size]);
    auto sent = channel.send(right, all[(rank - step + size) % size]);
    co_await sent;
    co_await arrived;
  }
}

}  // namespace bowline::coll
