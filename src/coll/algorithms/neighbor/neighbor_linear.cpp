// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/neighbor/neighbor.hpp"
#include "coll/channel/sliding_window.hpp"

namespace bowline::coll {
namespace {

enum class To { all_the_same, each_its_own };

constexpr std::size_t at_once = 16;

Task send_to_all(Channel& channel, const Arguments& arguments, To what) {
  const std::span<const int> destinations = arguments.neighbours->destinations;
  TransferWindow<at_once> sends;
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    if (destinations[i] < 0) continue;
    auto vacancy = room(sends);
    co_await vacancy;
    const std::span<const std::byte> data =
        what == To::all_the_same ? arguments.input : arguments.send[static_cast<int>(i)];
    sends.push(channel.send(destinations[i], data));
  }
  Task sent = drain(sends);
  co_await sent;
}

/// Receives from the sources from `first` on; each coroutine frame holds a window of receives and calls the next one.
Task exchange(Channel& channel, const Arguments& arguments, To what, std::size_t first) {
  const Neighbours& neighbours = *arguments.neighbours;
  const std::size_t end = std::min(neighbours.sources.size(), first + at_once);
  TransferWindow<at_once> receives;
  for (std::size_t i = first; i < end; ++i) {
    const std::size_t source = neighbours.grid ? i ^ 1 : i;  // in the order in which they are sent
    if (neighbours.sources[source] < 0) continue;
    receives.push(channel.receive(neighbours.sources[source], arguments.receive[static_cast<int>(source)]));
  }
  Task rest =
      end < neighbours.sources.size() ? exchange(channel, arguments, what, end) : send_to_all(channel, arguments, what);
  co_await rest;
  Task received = drain(receives);
  co_await received;
}

}  // namespace

Task neighbor_allgather_linear(Channel& channel, const Arguments& arguments) {
  return exchange(channel, arguments, To::all_the_same, 0);
}

Task neighbor_alltoall_linear(Channel& channel, const Arguments& arguments) {
  return exchange(channel, arguments, To::each_its_own, 0);
}

}  // namespace bowline::coll
