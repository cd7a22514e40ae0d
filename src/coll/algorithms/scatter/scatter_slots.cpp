// SPDX-License-Identifier: BSD-3-Clause
// The root decides by the length of each block how the block travels, and publishes the length to its member. So
// members need not know each other's lengths, and a member with too little room can report the error. The root calls
// each member with step 1 in the member's own line; the members' own steps follow it.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/single_copy.hpp"
#include "coll/slots/slot_chunks.hpp"

namespace bowline::coll {
namespace {

/// The length of the longest block, without the root's own.
std::size_t longest_of(const Blocks& all, int root, int size) noexcept {
  if (all.uniform()) return all.each();
  std::size_t most = 0;
  for (int member = 0; member < size; ++member) {
    if (member != root) most = std::max(most, all[member].size());
  }
  return most;
}

SlotChunks pieces_of(const Channel& channel, std::size_t bytes) noexcept {
  return {channel.slots(), bytes, 1, pieces_with_root(channel.size())};
}

/// Where the root writes, and the members read, if the longest block has this length.
Writes written(std::size_t most) noexcept {
  return most <= FlagLine::inline_bytes ? Writes::inline_data : Writes::all_slots;
}

/// Members read long blocks from the root's buffer; the root writes the pieces that the members have not taken yet.
Task lend(Channel& channel, const Blocks& all, std::size_t longest) {
  Slots& slots = channel.slots();
  for (int member = 0; member < channel.size(); ++member) {
    const std::span<const std::byte> block = all[member];
    if (member == channel.rank() || block.size() <= longest) continue;
    auto there = slots.reached(member, 2);
    co_await there;
    if (slots.abandoned(member)) continue;
    SharedWork& work = SharedWork::of(slots, member);
    work.help(slots, block.size(), [&](std::size_t at, std::size_t length) {
      slots.write(member, block.subspan(at, length), work.second() + at);
    });
  }
  for (int member = 0; member < channel.size(); ++member) {
    if (member == channel.rank() || all[member].size() <= longest) continue;
    auto read = slots.reached(member, 3);
    co_await read;
  }
}

/// The first message to a member: the length of its block, and its address or its first piece.
void notify(Channel& channel, int member, std::span<const std::byte> block, std::size_t longest) {
  Slots& slots = channel.slots();
  slots.tell_bytes(member, block.size());
  if (block.size() > longest) {
    put_address(slots, channel.rank(), member, block.data());
  } else {
    const SlotChunks pieces = pieces_of(channel, block.size());
    channel.copy(pieces.of(block, 0), pieces.at(member, 0));
  }
  slots.notify(member, 1);
}

void call_all(Channel& channel, const Arguments& arguments, std::size_t longest) {
  for (int member = 0; member < channel.size(); ++member) {
    if (member != channel.rank()) notify(channel, member, arguments.send[member], longest);
  }
}

/// Gives the rest of the blocks if blocks have several pieces or are too long for one call. `called`: whether all
/// members have been called.
Task give_rounds(Channel& channel, const Arguments& arguments, std::size_t longest, std::size_t most, bool called) {
  Slots& slots = channel.slots();
  const int root = channel.rank();
  const int size = channel.size();
  const Blocks& all = arguments.send;
  if (!called) {
    auto vacant = slots.vacancy(written(most));
    co_await vacant;
    call_all(channel, arguments, longest);
  }
  const std::uint64_t rounds = pieces_of(channel, std::min(most, longest)).rounds();
  for (std::uint64_t round = 1; round < rounds; ++round) {
    for (int member = 0; member < size; ++member) {
      const std::span<const std::byte> block = all[member];
      const SlotChunks pieces = pieces_of(channel, block.size());
      if (member == root || block.size() > longest || round >= pieces.rounds()) continue;
      if (round >= pieces.parts()) {
        auto taken = slots.reached(member, round + 2 - pieces.parts());
        co_await taken;
      }
      channel.copy(pieces.of(block, round), pieces.at(member, round));
    }
    slots.publish(round + 1);
  }
  channel.copy(all[root], arguments.result.data());
  if (most <= longest) co_return;
  Task lending = lend(channel, all, longest);
  co_await lending;
}

Task give(Channel& channel, const Arguments& arguments, std::size_t longest) {
  Slots& slots = channel.slots();
  const std::size_t most = longest_of(arguments.send, channel.rank(), channel.size());
  const bool called = channel.at_once() && slots.vacant(written(most));
  if (called) {
    call_all(channel, arguments, longest);
    if (most <= longest && pieces_of(channel, most).rounds() == 1) [[likely]] {
      channel.copy(arguments.send[channel.rank()], arguments.result.data());
      return {};
    }
  }
  return give_rounds(channel, arguments, longest, most, called);
}

/// The part of the room that the root's block needs.
std::span<std::byte> told_part(Slots& slots, int rank, int root, std::span<std::byte> room) {
  const std::size_t bytes = slots.bytes_of(rank);
  if (bytes <= room.size()) return room.first(bytes);
  slots.abandon();
  throw Error(ErrorClass::truncate,
              fmt::format("rank {} of the communicator, the root, gives this process {} bytes, but there is room for "
                          "{}: give the same count and type here as at the root",
                          root, bytes, room.size()));
}

Task take_rounds(Channel& channel, const Arguments& arguments, std::size_t longest) {
  Slots& slots = channel.slots();
  const int root = arguments.root;
  auto begun = slots.notified(root, 1);
  co_await begun;
  const std::span<std::byte> data = told_part(slots, channel.rank(), root, arguments.result);
  if (data.size() > longest) {
    Task borrowing = borrow(slots, root, get_address(slots, root, channel.rank()), data, 2);
    co_await borrowing;
    co_return;
  }
  const SlotChunks pieces = pieces_of(channel, data.size());
  for (std::uint64_t round = 0; round < pieces.rounds(); ++round) {
    if (round > 0) {
      auto given = slots.reached(root, round + 1);
      co_await given;
    }
    const std::span<std::byte> piece = pieces.of(data, round);
    channel.copy({pieces.at(channel.rank(), round), piece.size()}, piece.data());
    if (pieces.rounds() > pieces.parts()) slots.publish(round + 2);
  }
}

Task take(Channel& channel, const Arguments& arguments, std::size_t longest) {
  Slots& slots = channel.slots();
  if (channel.at_once() && slots.was_notified(arguments.root, 1)) {
    const std::span<std::byte> data = told_part(slots, channel.rank(), arguments.root, arguments.result);
    const SlotChunks pieces = pieces_of(channel, data.size());
    if (data.size() <= longest && pieces.rounds() == 1) [[likely]] {
      channel.copy({pieces.at(channel.rank(), 0), data.size()}, data.data());
      return {};
    }
  }
  return take_rounds(channel, arguments, longest);
}

Task scatter_up_to(Channel& channel, const Arguments& arguments, std::size_t longest) {
  return channel.rank() == arguments.root ? give(channel, arguments, longest) : take(channel, arguments, longest);
}

}  // namespace

Task scatter_slots(Channel& channel, const Arguments& arguments) {
  return scatter_up_to(channel, arguments, longest_in_rounds(channel.slots()));
}

Task scatter_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return scatter_slots(channel, arguments);
  return scatter_up_to(channel, arguments, longest_if_compared(channel.slots()));
}

Task scatterv_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return scatter_slots(channel, arguments);
  return scatter_up_to(channel, arguments, longest_in_slots(channel.slots()));
}

}  // namespace bowline::coll
