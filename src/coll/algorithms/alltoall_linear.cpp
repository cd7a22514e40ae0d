// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/alltoall.hpp"

namespace bowline::coll {

Task alltoall_linear(Channel& channel, const Arguments& arguments) {
  constexpr std::size_t at_once = 16;
  const int rank = channel.rank();
  channel.copy(arguments.send[rank], arguments.receive[rank].data());

  Window<at_once> receives;
  Window<at_once> sends;
  for (int peer = 0; peer < channel.size(); ++peer) {
    if (peer == rank) continue;
    const auto incoming = arguments.receive[peer];
    const auto outgoing = arguments.send[peer];
    if (receives.full()) {
      auto oldest = receives.pop();
      co_await oldest;
    }
    if (!incoming.empty()) receives.push(channel.receive(peer, incoming));
    if (sends.full()) {
      auto oldest = sends.pop();
      co_await oldest;
    }
    if (!outgoing.empty()) sends.push(channel.send(peer, outgoing));
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
