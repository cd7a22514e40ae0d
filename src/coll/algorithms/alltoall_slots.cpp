// SPDX-License-Identifier: BSD-3-Clause
#include "coll/algorithms/slots.hpp"
#include "coll/shares.hpp"

namespace bowline::coll {

Task alltoall_slots(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const Blocks& to = arguments.send;
  const Blocks& from = arguments.receive;
  const int rank = channel.rank();
  const int size = channel.size();
  const bool uniform = to.uniform() && from.uniform();
  const Shares shares(slots, size, uniform ? to.each() : Shares::differ, 1);
  auto vacant = slots.vacancy();
  co_await vacant;
  channel.copy(to[rank], from[rank].data());
  std::uint64_t rounds = 1;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (int step = 1; step < size; ++step) {
      const int member = (rank + step) % size;
      rounds = std::max({rounds, shares.rounds(to[member].size()), shares.rounds(from[member].size())});
      if (round >= 2 && !shares.of(to[member], round - 2).empty()) {
        auto read = slots.reached(member, round);  // it is past the round before the last
        co_await read;
      }
      channel.copy(shares.of(to[member], round), shares.at(rank, round, member));
    }
    slots.publish(round + 1);
    for (int step = 1; step < size; ++step) {
      const int member = (rank + size - step) % size;
      const std::span<std::byte> piece = shares.of(from[member], round);
      if (round > 0 && piece.empty()) continue;
      auto given = slots.reached(member, round + 1);
      co_await given;
      channel.copy({shares.at(member, round, rank), piece.size()}, piece.data());
    }
  }
  if (!uniform) slots.give_up();  // others may have more rounds, in which nothing comes from here
}

}  // namespace bowline::coll
