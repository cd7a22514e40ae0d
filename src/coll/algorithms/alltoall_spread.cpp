// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/alltoall.hpp"

namespace bowline::coll {

Task alltoall_spread(Channel& channel, const Arguments& arguments) {
  constexpr std::size_t at_once = 16;
  const int size = channel.size();
  const int rank = channel.rank();
  channel.copy(arguments.send[rank], arguments.receive[rank].data());

  Window<at_once> receives;
  Window<at_once> sends;
  for (int distance = 1; distance < size; ++distance) {
    const int above = (rank + distance) % size;
    const int below = (rank - distance + size) % size;
    const auto incoming = arguments.receive[below];
    const auto outgoing = arguments.send[above];
    if (receives.full()) {
      auto oldest = receives.pop();
      co_await oldest;
    }
    if (!incoming.empty()) receives.push(channel.receive(below, incoming));
    if (sends.full()) {
      auto oldest = sends.pop();
      co_await oldest;
    }
    if (!outgoing.empty()) sends.push(channel.send(above, outgoing));
  }
  while (!receives.empty()) {
    auto oldest = receives.pop();
    co_await oldest;
  }
  while (!sends.empty()) {
    auto oldest = sends.pop();
    co_await oldest;
  }
}

}  // namespace bowline::coll
