// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/alltoall/alltoall.hpp"
#include "coll/channel/sliding_window.hpp"

namespace bowline::coll {
namespace {

/// The peers of a member in one of n - 1 steps.
struct Peers {
  int to;
  int from;
};

Peers in_order(int rank, int, int step) noexcept {
  const int peer = step <= rank ? step - 1 : step;
  return {peer, peer};
}

Peers around(int rank, int size, int step) noexcept {
  return {(rank + step) % size, (rank - step + size) % size};
}

Task exchange(Channel& channel, const Arguments& arguments, Peers (*peers)(int, int, int)) {
  constexpr std::size_t at_once = 16;
  const int rank = channel.rank();
  channel.copy(arguments.send[rank], arguments.receive[rank].data());

  TransferWindow<at_once> receives;
  TransferWindow<at_once> sends;
  for (int step = 1; step < channel.size(); ++step) {
    const Peers partners = peers(rank, channel.size(), step);
    const auto incoming = arguments.receive[partners.from];
    const auto outgoing = arguments.send[partners.to];
    auto room_in = room(receives);
    co_await room_in;
    if (!incoming.empty()) receives.push(channel.receive(partners.from, incoming));
    auto room_out = room(sends);
    co_await room_out;
    if (!outgoing.empty()) sends.push(channel.send(partners.to, outgoing));
  }
  Task received = drain(receives);
  co_await received;
  Task sent = drain(sends);
  co_await sent;
}

}  // namespace

Task alltoall_linear(Channel& channel, const Arguments& arguments) {
  return exchange(channel, arguments, in_order);
}

Task alltoall_spread(Channel& channel, const Arguments& arguments) {
  return exchange(channel, arguments, around);
}

}  // namespace bowline::coll
