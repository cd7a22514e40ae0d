// SPDX-License-Identifier: BSD-3-Clause
// The root decides by its length how the data go, and the others learn that with its first flag. So a member with too
// little room runs the same algorithm and can report the error.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/rounds.hpp"
#include "coll/slots/single_copy.hpp"

namespace bowline::coll {
namespace {

/// Data travel as follows: one piece through the root's slot, longer data through the slots of all members, which only
/// the root writes. The root runs ahead of the slowest reader by the length of all slots, so that each context switch
/// moves much data if ranks share cores.
class Ring {
 public:
  Ring(const Slots& slots, int members, std::size_t bytes) noexcept
      : slots_(slots), inline_(bytes <= FlagLine::inline_bytes) {
    if (inline_) return;
    const std::size_t room = slots.slot_bytes() * static_cast<std::size_t>(members);
    piece_ = std::min(room / least_parts, slots.slot_bytes() / 2);
    if (bytes <= piece_) return;  // short data need no divisions
    parts_ = room / piece_;
    rounds_ = (bytes + piece_ - 1) / piece_;
  }

  Writes writes() const noexcept {
    return inline_ ? Writes::inline_data : rounds_ == 1 ? Writes::own_slot : Writes::all_slots;
  }
  /// The number of pieces that the root may be ahead.
  std::uint64_t parts() const noexcept { return parts_; }
  std::uint64_t rounds() const noexcept { return rounds_; }
  std::byte* at(int root, std::uint64_t round) const noexcept {
    if (rounds_ == 1) return inline_ ? slots_.inline_data(root) : slots_.slot(root);
    return slots_.slot(0) + round % parts_ * piece_;
  }
  template <class Byte>
  std::span<Byte> of(std::span<Byte> data, std::uint64_t round) const noexcept {
    const std::size_t offset = static_cast<std::size_t>(round) * piece_;
    return data.subspan(offset, std::min(piece_, data.size() - offset));
  }

 private:
  static constexpr std::size_t least_parts = 8;

  const Slots& slots_;
  bool inline_;
  std::size_t piece_ = FlagLine::inline_bytes;
  std::uint64_t parts_ = 1;
  std::uint64_t rounds_ = 1;
};

struct Writing : RoundWork {
  Channel& channel;
  std::span<const std::byte> data;
  Ring pieces;

  Writing(Channel& of, std::span<const std::byte> data_)
      : channel(of), data(data_), pieces(of.slots(), of.size(), data.size()) {}

  void give(std::uint64_t round) {
    if (round == 0) channel.slots().tell_bytes(data.size());
    channel.copy(pieces.of(data, round), pieces.at(channel.rank(), round));
  }
};

Task write(Channel& channel, std::span<const std::byte> data) {
  const Writing writing(channel, data);
  const Ring& pieces = writing.pieces;
  return go_through(channel,
                    {.count = pieces.rounds(),
                     .readers = {channel.size() - 1},
                     .from = pieces.parts(),
                     .ahead = pieces.parts(),
                     .writes = pieces.writes()},
                    writing);
}

/// The other members read; the root writes the pieces that the other members have not taken yet.
Task lend(Channel& channel, std::span<const std::byte> data) {
  Slots& slots = channel.slots();
  const int root = channel.rank();
  auto vacant = slots.vacancy();
  co_await vacant;
  slots.tell_bytes(data.size() | lent);
  put_address(slots, root, root, data.data());
  slots.publish(1);
  for (int member = 0; member < channel.size(); ++member) {
    if (member == root) continue;
    auto there = slots.reached(member, 1);
    co_await there;
    if (slots.abandoned(member)) continue;
    SharedWork& work = SharedWork::of(slots, member);
    work.help(slots, data.size(), [&](std::size_t at, std::size_t length) {
      slots.write(member, data.subspan(at, length), work.second() + at);
    });
  }
  for (int member = 0; member < channel.size(); ++member) {
    if (member == root) continue;
    auto read = slots.reached(member, 2);
    co_await read;
  }
}

/// The root's length applies, as with messages: a member with too little room gets an error.
std::span<std::byte> told_part(Slots& slots, int root, std::span<std::byte> room) {
  const std::size_t bytes = slots.bytes_of(root) & ~lent;
  if (bytes <= room.size()) return room.first(bytes);
  slots.abandon();
  throw Error(ErrorClass::truncate,
              fmt::format("rank {} of the communicator broadcasts {} bytes, but this process has room for {}: give the "
                          "same count and type in all ranks",
                          root, bytes, room.size()));
}

Task read_rounds(Channel& channel, int root, std::span<std::byte> room) {
  Slots& slots = channel.slots();
  auto begun = slots.reached(root, 1);
  co_await begun;
  const std::span<std::byte> data = told_part(slots, root, room);
  if ((slots.bytes_of(root) & lent) != 0) {
    Task borrowing = borrow(slots, root, get_address(slots, root, root), data);
    co_await borrowing;
    co_return;
  }
  const Ring pieces(slots, channel.size(), data.size());
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    if (round > 0) {
      auto written = slots.reached(root, round + 1);
      co_await written;
    }
    const std::span<std::byte> piece = pieces.of(data, round);
    channel.copy({pieces.at(root, round), piece.size()}, piece.data());
    if (pieces.rounds() > pieces.parts()) slots.publish(round + 1);
  }
}

Task read(Channel& channel, int root, std::span<std::byte> room) {
  Slots& slots = channel.slots();
  if (channel.at_once() && slots.has_reached(root, 1)) {
    const std::span<std::byte> data = told_part(slots, root, room);
    const Ring pieces(slots, channel.size(), data.size());
    if ((slots.bytes_of(root) & lent) == 0 && pieces.rounds() == 1) [[likely]] {
      channel.copy({pieces.at(root, 0), data.size()}, data.data());
      return {};
    }
  }
  return read_rounds(channel, root, room);
}

Task bcast_up_to(Channel& channel, const Arguments& arguments, std::size_t longest) {
  if (channel.rank() != arguments.root) return read(channel, arguments.root, arguments.result);
  return arguments.result.size() > longest ? lend(channel, arguments.result) : write(channel, arguments.result);
}

}  // namespace

Task bcast_slots(Channel& channel, const Arguments& arguments) {
  return bcast_up_to(channel, arguments, longest_in_rounds(channel.slots()));
}

Task bcast_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return bcast_slots(channel, arguments);
  return bcast_up_to(channel, arguments, longest_if_compared(channel.slots()));
}

}  // namespace bowline::coll
