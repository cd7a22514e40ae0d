// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/alltoall/alltoall.hpp"

namespace bowline::coll {

Task alltoall_pairwise(Channel& channel, const Arguments& arguments) {
  const int size = channel.size();
  const int rank = channel.rank();
  channel.copy(arguments.send[rank], arguments.receive[rank].data());

  TransferWindow<2> step;
  for (int distance = 1; distance < size; ++distance) {
    const int above = (rank + distance) % size;
    const int below = (rank - distance + size) % size;
    const auto outgoing = arguments.send[above];
    const auto incoming = arguments.receive[below];
    if (!incoming.empty()) step.push(channel.receive(below, incoming));
    if (!outgoing.empty()) step.push(channel.send(above, outgoing));
    while (!step.empty()) {
      auto oldest = step.pop();
      co_await oldest;
    }
  }
}

}  // namespace bowline::coll
