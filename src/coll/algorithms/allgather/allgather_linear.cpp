// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allgather/allgather.hpp"
#include "coll/channel/sliding_window.hpp"

namespace bowline::coll {

Task allgather_linear(Channel& channel, const Arguments& arguments) {
  constexpr std::size_t at_once = 16;
  const int size = channel.size();
  const int rank = channel.rank();
  const std::span<const std::byte> own = arguments.receive[rank];
  channel.copy(arguments.input, arguments.receive[rank].data());

  TransferWindow<at_once> receives;
  TransferWindow<at_once> sends;
  for (int distance = 1; distance < size; ++distance) {
    const int above = (rank + distance) % size;
    const int below = (rank - distance + size) % size;
    auto room_in = room(receives);
    co_await room_in;
    if (const auto theirs = arguments.receive[below]; !theirs.empty()) receives.push(channel.receive(below, theirs));
    auto room_out = room(sends);
    co_await room_out;
    if (!own.empty()) sends.push(channel.send(above, own));
  }
  Task received = drain(receives);
  co_await received;
  Task sent = drain(sends);
  co_await sent;
}

}  // namespace bowline::coll
