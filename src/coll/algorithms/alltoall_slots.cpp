// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "coll/algorithms/slots.hpp"
#include "coll/lengths.hpp"
#include "coll/shares.hpp"

namespace bowline::coll {
namespace {

/// How long a block is that may have another length than its receiver expects, in front of its first piece.
void tell_length(const Shares& shares, int owner, int member, std::size_t bytes) noexcept {
  std::memcpy(shares.head(owner, 0, member), &bytes, sizeof bytes);
}
std::size_t length_told(const Shares& shares, int owner, int member) noexcept {
  std::size_t bytes = 0;
  std::memcpy(&bytes, shares.head(owner, 0, member), sizeof bytes);
  return bytes;
}

}  // namespace

Task alltoall_slots(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Blocks& to = arguments.send;
  const Blocks& from = arguments.receive;
  const int rank = channel.rank();
  const int size = channel.size();
  const bool uniform = to.uniform() && from.uniform();
  const Shares shares(slots, size, uniform ? to.each() : Shares::differ, 1, uniform ? 0 : sizeof(std::size_t));
  auto vacant = slots.vacancy();
  co_await vacant;
  channel.copy(to[rank], from[rank].data());
  std::uint64_t rounds = 1;
  int longer = -1;  // a member that sends more than there is room for
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (int step = 1; step < size; ++step) {
      const int member = (rank + step) % size;
      rounds = std::max({rounds, shares.rounds(to[member].size()), shares.rounds(from[member].size())});
      if (round >= 2 && !shares.of(to[member], round - 2).empty()) {
        auto read = slots.reached(member, round);  // it is past the round before the last
        co_await read;
      }
      if (round == 0 && !uniform) tell_length(shares, rank, member, to[member].size());
      channel.copy(shares.of(to[member], round), shares.at(rank, round, member));
    }
    slots.publish(round + 1);
    for (int step = 1; step < size; ++step) {
      const int member = (rank + size - step) % size;
      if (round > 0 && shares.of(from[member], round).empty()) continue;
      auto given = slots.reached(member, round + 1);
      co_await given;
      std::span<std::byte> room = from[member];
      if (!uniform) {
        const std::size_t sent = length_told(shares, member, rank);
        if (sent > room.size()) longer = member;
        room = room.first(std::min(sent, room.size()));
      }
      const std::span<std::byte> piece = shares.of(room, round);
      channel.copy({shares.at(member, round, rank), piece.size()}, piece.data());
    }
  }
  if (!uniform) slots.give_up();  // others may have more rounds, in which nothing comes from here
  if (longer >= 0) refuse_length(longer, length_told(shares, longer, rank), from[longer].size());
}

}  // namespace bowline::coll
