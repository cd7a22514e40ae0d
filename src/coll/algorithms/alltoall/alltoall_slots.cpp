// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/lengths.hpp"
#include "coll/slots/rounds.hpp"
#include "coll/slots/shares.hpp"

namespace bowline::coll {
namespace {

struct SharesOfAll : RoundWork {
  Channel& channel;
  const Blocks& to;
  const Blocks& from;
  bool uniform;
  bool pair;  ///< whether there are two members; the other member then learns the length from the flag's line
  Shares shares;
  int longer = -1;  ///< a member that sends more than fits here

  SharesOfAll(Channel& of, const Arguments& with)
      : channel(of),
        to(with.send),
        from(with.receive),
        uniform(to.uniform() && from.uniform()),
        pair(of.size() == 2),
        shares(of.slots(), of.size(), uniform ? to.each() : Shares::differ, 1,
               pair ? Shares::Differing::freely : Shares::Differing::headed) {}

  std::uint64_t rounds() const noexcept {
    std::uint64_t most = 1;
    for (int member = 0; member < (uniform ? 1 : channel.size()); ++member)
      most = std::max({most, shares.rounds(to[member].size()), shares.rounds(from[member].size())});
    return most;
  }

  /// Members in the order of distance from this member, so that not all visit the same member at once.
  int member(int step) const noexcept {
    const int member = channel.rank() + step;
    return member < channel.size() ? member : member - channel.size();
  }
  bool awaits_reader(std::uint64_t round, int member) const noexcept {
    return !shares.of(std::span<const std::byte>(to[member]), round).empty();  // this piece overwrites another piece
  }
  bool takes_from(std::uint64_t round, int member) const noexcept {
    return round == 0 || !shares.of(block_of(member), round).empty();
  }

  void give(std::uint64_t round) {
    const int rank = channel.rank();
    if (round == 0) channel.copy(to[rank], from[rank].data());
    for (int member = 0; member < channel.size(); ++member) {
      if (member == rank) continue;
      const std::span<const std::byte> block = to[member];
      if (round == 0 && !uniform) tell_length(member, block.size());
      channel.copy(shares.of(block, round), at(rank, round, member, block.size()));
    }
  }
  void take(std::uint64_t round, int member) {
    if (round == 0 && !uniform && length_told(member) > from[member].size()) longer = member;
    const std::span<std::byte> block = block_of(member);
    const std::span<std::byte> piece = shares.of(block, round);
    channel.copy({at(member, round, channel.rank(), block.size()), piece.size()}, piece.data());
  }
  void end() {
    if (longer < 0) return;
    channel.slots().abandon();  // a member that sends more may have more rounds
    refuse_length(longer, length_told(longer), from[longer].size());
  }

 private:
  /// The place for the member's block; empty if the block is too long.
  std::span<std::byte> block_of(int member) const noexcept {
    const std::span<std::byte> room = from[member];
    if (uniform) return room;
    const std::size_t sent = length_told(member);
    return room.first(sent <= room.size() ? sent : 0);
  }
  std::byte* at(int owner, std::uint64_t round, int member, std::size_t bytes) const noexcept {
    const bool in_line = pair && !uniform && bytes <= FlagLine::inline_bytes;
    return in_line ? channel.slots().inline_data(owner) : shares.at(owner, round, member, bytes);
  }
  void tell_length(int member, std::size_t bytes) const noexcept {
    if (pair) return channel.slots().tell_bytes(bytes);
    shares.tell_bytes(channel.rank(), member, bytes);
  }
  std::size_t length_told(int member) const noexcept {
    return pair ? channel.slots().bytes_of(member) : shares.bytes_told(member, channel.rank());
  }
};

}  // namespace

Task alltoall_slots(Channel& channel, const Arguments& arguments) {
  const SharesOfAll exchange(channel, arguments);
  const MemberRange others{channel.size() - 1, 1};
  return go_through(channel,
                    {.count = exchange.rounds(),
                     .sources = others,
                     .readers = others,
                     .ahead = 1,
                     .writes = exchange.shares.writes()},
                    exchange);
}

}  // namespace bowline::coll
