// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/allgather.hpp"

namespace bowline::coll {

Task allgather_linear(Channel& channel, const Arguments& arguments) {
  constexpr std::size_t at_once = 16;
  const int size = channel.size();
  const int rank = channel.rank();
  const std::span<const std::byte> own = arguments.receive[rank];
  channel.copy(arguments.input, arguments.receive[rank].data());

  Window<at_once> receives;
  Window<at_once> sends;
  for (int distance = 1; distance < size; ++distance) {
    const int above = (rank + distance) % size;
    const int below = (rank - distance + size) % size;
    if (receives.full()) {
      auto oldest = receives.pop();
      co_await oldest;
    }
    if (const auto theirs = arguments.receive[below]; !theirs.empty()) receives.push(channel.receive(below, theirs));
    if (sends.full()) {
      auto oldest = sends.pop();
      co_await oldest;
    }
    if (!own.empty()) sends.push(channel.send(above, own));
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
