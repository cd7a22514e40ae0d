// SPDX-License-Identifier: BSD-3-Clause
// Each member decides by the length of its block how the block travels, and publishes the length to the root. So
// members need not know each other's lengths, and the root detects a block that is too long.
#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/rounds.hpp"
#include "coll/slots/single_copy.hpp"
#include "coll/slots/slot_chunks.hpp"

namespace bowline::coll {
namespace {

SlotChunks pieces_of(const Channel& channel, std::size_t bytes) noexcept {
  return {channel.slots(), bytes, 1, pieces_with_root(channel.size())};
}

struct Giving : RoundWork {
  Channel& channel;
  std::span<const std::byte> block;
  SlotChunks pieces;

  Giving(Channel& of, std::span<const std::byte> block_)
      : channel(of), block(block_), pieces(pieces_of(of, block.size())) {}

  void give(std::uint64_t round) {
    if (round == 0) channel.slots().tell_bytes(block.size());
    channel.copy(pieces.of(block, round), pieces.at(channel.rank(), round));
  }
};

Task give(Channel& channel, const Arguments& arguments) {
  const Giving giving(channel, arguments.input);
  const SlotChunks& pieces = giving.pieces;
  return go_through(channel,
                    {.count = pieces.rounds(),
                     .readers = {arguments.root, arguments.root},
                     .from = pieces.parts(),
                     .ahead = pieces.parts(),
                     .writes = pieces.writes()},
                    giving);
}

/// A member writes to the root's buffer, and the root reads the pieces that the member has not taken yet, so both cores
/// copy at the same time.
Task put(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  const int root = arguments.root;
  const std::span<const std::byte> block = arguments.input;
  auto vacant = slots.vacancy();
  co_await vacant;
  slots.tell_bytes(block.size());
  SharedWork& work = SharedWork::make(slots, channel.rank(), block.size(), block.data());
  slots.publish(1);
  auto there = slots.reached(root, 1);
  co_await there;
  if (slots.abandoned(root)) co_return;
  const MemberBuffer theirs = get_buffer(slots, root, channel.rank());
  if (theirs.room < block.size()) co_return;  // the root reports the error
  const std::uint64_t mine = work.share(block.size(), [&](std::size_t at, std::size_t length) {
    slots.write(root, block.subspan(at, length), theirs.address + at);
  });
  slots.publish(2);
  auto helped = slots.counted(root, work.helped(), work.pieces(block.size()) - mine);
  co_await helped;
}

/// The root's share of the copies to its buffer.
Task fetch(Channel& channel, const Blocks& all, std::size_t longest) {
  Slots& slots = channel.slots();
  const auto puts = [&](int member) {
    const std::size_t bytes = slots.bytes_of(member);
    return member != channel.rank() && bytes > longest && bytes <= all[member].size();
  };
  for (int member = 0; member < channel.size(); ++member) {
    if (!puts(member)) continue;
    SharedWork& work = SharedWork::of(slots, member);
    work.help(slots, slots.bytes_of(member), [&](std::size_t at, std::size_t length) {
      slots.read(member, work.address() + at, all[member].subspan(at, length));
    });
  }
  int failed = -1;
  for (int member = 0; member < channel.size(); ++member) {
    if (!puts(member)) continue;
    auto put = slots.reached(member, 2);
    co_await put;
    if (slots.abandoned(member)) failed = member;
  }
  if (failed >= 0) slots.fail_after(failed);
}

[[noreturn]] void refuse(int member, std::size_t bytes, std::size_t room) {
  throw Error(ErrorClass::truncate,
              fmt::format("rank {} of the communicator gives {} bytes, but the root has room for {}: give the same "
                          "count and type there as at the root",
                          member, bytes, room));
}

/// Whether members may put their blocks into the root's buffer.
bool may_put(const Channel& channel, const Blocks& all, std::size_t longest) noexcept {
  if (all.uniform()) return all.each() > longest;
  bool puts = false;
  for (int member = 0; member < channel.size(); ++member)
    puts |= member != channel.rank() && all[member].size() > longest;
  return puts;
}

/// Copies all blocks if each has one piece and all have arrived. Otherwise returns false; then take_rounds() copies all
/// of them.
bool take_short(Channel& channel, const Arguments& arguments) {
  Slots& slots = channel.slots();
  for (int member = 0; member < channel.size(); ++member) {
    if (member == channel.rank()) continue;
    if (!slots.has_reached(member, 1)) return false;
    const std::size_t bytes = slots.bytes_of(member);
    const std::span<std::byte> room = arguments.receive[member];
    const SlotChunks pieces = pieces_of(channel, bytes);
    if (bytes > room.size() || pieces.rounds() > 1) return false;
    channel.copy({pieces.at(member, 0), bytes}, room.data());
  }
  channel.copy(arguments.input, arguments.receive[channel.rank()].data());
  return true;
}

/// Skips a member whose block does not fit; the root reports the error after it has served the others.
Task take_rounds(Channel& channel, const Arguments& arguments, std::size_t longest, bool puts) {
  Slots& slots = channel.slots();
  const int root = channel.rank();
  const int size = channel.size();
  const Blocks& all = arguments.receive;
  if (puts) {
    auto vacant = slots.vacancy();
    co_await vacant;
    for (int member = 0; member < size; ++member)
      put_buffer(slots, root, member, {all[member].data(), all[member].size()});
    slots.publish(1);
  }
  channel.copy(arguments.input, all[root].data());

  int refused = -1;
  std::uint64_t rounds = 1;
  const std::uint64_t parts = pieces_of(channel, 0).parts();
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (int member = 0; member < size; ++member) {
      if (member == root) continue;
      if (round == 0) {
        auto told = slots.reached(member, 1);
        co_await told;
      }
      const std::size_t bytes = slots.bytes_of(member);
      const std::span<std::byte> room = all[member];
      if (bytes > room.size()) refused = member;
      if (bytes > room.size() || bytes > longest) continue;
      const SlotChunks pieces = pieces_of(channel, bytes);
      rounds = std::max(rounds, pieces.rounds());
      if (round >= pieces.rounds()) continue;
      if (round > 0) {
        auto given = slots.reached(member, round + 1);
        co_await given;
      }
      const std::span<std::byte> piece = pieces.of(room.first(bytes), round);
      channel.copy({pieces.at(member, round), piece.size()}, piece.data());
    }
    if (rounds > parts) slots.publish(round + 1);
  }
  if (puts) {
    Task fetching = fetch(channel, all, longest);
    co_await fetching;
  }
  if (refused >= 0) {
    slots.abandon();  // some members may wait for this member
    refuse(refused, slots.bytes_of(refused), all[refused].size());
  }
}

Task take(Channel& channel, const Arguments& arguments, std::size_t longest) {
  const bool puts = may_put(channel, arguments.receive, longest);
  if (!puts && channel.at_once() && take_short(channel, arguments)) [[likely]]
    return {};
  return take_rounds(channel, arguments, longest, puts);
}

Task gather_up_to(Channel& channel, const Arguments& arguments, std::size_t longest) {
  if (channel.rank() == arguments.root) return take(channel, arguments, longest);
  return arguments.input.size() > longest ? put(channel, arguments) : give(channel, arguments);
}

}  // namespace

Task gather_slots(Channel& channel, const Arguments& arguments) {
  return gather_up_to(channel, arguments, longest_in_rounds(channel.slots()));
}

Task gather_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return gather_slots(channel, arguments);
  return gather_up_to(channel, arguments, longest_if_compared(channel.slots()));
}

Task gatherv_single_copy(Channel& channel, const Arguments& arguments) {
  if (!channel.slots().readable()) return gather_slots(channel, arguments);
  return gather_up_to(channel, arguments, longest_in_slots(channel.slots()));
}

}  // namespace bowline::coll
