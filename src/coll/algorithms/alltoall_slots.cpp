// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstring>

#include "coll/algorithms/slots.hpp"
#include "coll/lengths.hpp"
#include "coll/rounds.hpp"
#include "coll/shares.hpp"

namespace bowline::coll {
namespace {

struct SharesOfAll : RoundWork {
  Channel& channel;
  const Blocks& to;
  const Blocks& from;
  bool uniform;
  Shares shares;
  int longer = -1;  ///< a member that sends more than there is room for

  SharesOfAll(Channel& of, const Arguments& with)
      : channel(of),
        to(with.send),
        from(with.receive),
        uniform(to.uniform() && from.uniform()),
        shares(of.slots(), of.size(), uniform ? to.each() : Shares::differ, 1, uniform ? 0 : sizeof(std::size_t)) {}

  std::uint64_t rounds() const noexcept {
    std::uint64_t most = 1;
    for (int member = 0; member < (uniform ? 1 : channel.size()); ++member)
      most = std::max({most, shares.rounds(to[member].size()), shares.rounds(from[member].size())});
    return most;
  }

  /// By steps from this member on, so that not all come to the same one at once.
  int member(int step) const noexcept {
    const int member = channel.rank() + step;
    return member < channel.size() ? member : member - channel.size();
  }
  bool awaits_reader(std::uint64_t round, int member) const noexcept {
    return !shares.of(std::span<const std::byte>(to[member]), round - 2).empty();
  }
  bool takes_from(std::uint64_t round, int member) const noexcept {
    return round == 0 || !shares.of(from[member], round).empty();
  }

  void give(std::uint64_t round) {
    const int rank = channel.rank();
    if (round == 0) channel.copy(to[rank], from[rank].data());
    for (int member = 0; member < channel.size(); ++member) {
      if (member == rank) continue;
      const std::span<const std::byte> block = to[member];
      if (round == 0 && !uniform) tell_length(member, block.size());
      channel.copy(shares.of(block, round), shares.at(rank, round, member));
    }
  }
  void take(std::uint64_t round, int member) {
    std::span<std::byte> room = from[member];
    if (!uniform) {
      const std::size_t sent = length_told(member);
      if (sent > room.size()) longer = member;
      room = room.first(std::min(sent, room.size()));
    }
    const std::span<std::byte> piece = shares.of(room, round);
    channel.copy({shares.at(member, round, channel.rank()), piece.size()}, piece.data());
  }
  void end() {
    if (!uniform) channel.slots().give_up();  // others may have more rounds, in which nothing comes from here
    if (longer >= 0) refuse_length(longer, length_told(longer), from[longer].size());
  }

 private:
  /// How long a block is that may have another length than its receiver expects, in front of its first piece.
  void tell_length(int member, std::size_t bytes) const noexcept {
    std::memcpy(shares.head(channel.rank(), 0, member), &bytes, sizeof bytes);
  }
  std::size_t length_told(int member) const noexcept {
    std::size_t bytes = 0;
    std::memcpy(&bytes, shares.head(member, 0, channel.rank()), sizeof bytes);
    return bytes;
  }
};

}  // namespace

Task alltoall_slots(Channel& channel, const Arguments& arguments) {
  const SharesOfAll exchange(channel, arguments);
  const Range others{channel.size() - 1, 1};
  return go_through(channel, {.count = exchange.rounds(), .sources = others, .readers = others, .ahead = 1}, exchange);
}

}  // namespace bowline::coll
