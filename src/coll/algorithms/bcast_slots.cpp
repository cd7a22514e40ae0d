// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "base/error.hpp"
#include "coll/algorithms/slots.hpp"
#include "coll/pieces.hpp"

namespace bowline::coll {
namespace {

constexpr std::uint64_t parts = 4;  // of a slot: how many pieces the root may be ahead of the slowest reader

Task write(Channel& channel, std::span<const std::byte> data) {
  Slots& slots = channel.slots();
  const Pieces pieces(slots, data.size(), 1, parts);
  while (!slots.vacant()) {
    auto left = slots.left();
    co_await left;
  }
  slots.tell_bytes(data.size());
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    for (int member = 0; round >= parts && member < channel.size(); ++member) {
      if (member == channel.rank()) continue;
      auto read = slots.reached(member, round - parts + 1);
      co_await read;
    }
    channel.copy(pieces.of(data, round), pieces.at(channel.rank(), round));
    slots.publish(round + 1);
  }
}

/// The root's length counts, as with messages: a member that has room for less hears of it.
Task read(Channel& channel, int root, std::span<std::byte> room) {
  Slots& slots = channel.slots();
  auto begun = slots.reached(root, 1);
  co_await begun;
  const std::size_t bytes = slots.bytes_of(root);
  if (bytes > room.size()) {
    slots.give_up();
    throw Error(ErrorClass::truncate,
                fmt::format("rank {} of the communicator broadcasts {} bytes, but this process has room for {}: give "
                            "the same count and type in all ranks",
                            root, bytes, room.size()));
  }
  const std::span<std::byte> data = room.first(bytes);
  const Pieces pieces(slots, bytes, 1, parts);
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    if (round > 0) {
      auto written = slots.reached(root, round + 1);
      co_await written;
    }
    const std::span<std::byte> piece = pieces.of(data, round);
    channel.copy({pieces.at(root, round), piece.size()}, piece.data());
    if (pieces.rounds() > parts) slots.publish(round + 1);
  }
}

}  // namespace

Task bcast_slots(Channel& channel, const Arguments& arguments) {
  if (channel.rank() == arguments.root) return write(channel, arguments.result);
  return read(channel, arguments.root, arguments.result);
}

}  // namespace bowline::coll
