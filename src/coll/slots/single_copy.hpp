// SPDX-License-Identifier: BSD-3-Clause
// Access of members to each other's buffers: addresses in slots, and copies that two members share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <span>

#include "base/atomic.hpp"
#include "base/task.hpp"
#include "coll/slots/slots.hpp"

namespace bowline::coll {

/// A member's slot as a table of addresses in its process, one for each member.
inline void put_address(Slots& slots, int owner, int member, const std::byte* address) noexcept {
  std::memcpy(slots.slot(owner) + static_cast<std::size_t>(member) * sizeof address, &address, sizeof address);
}
inline const std::byte* get_address(const Slots& slots, int owner, int member) noexcept {
  const std::byte* address = nullptr;
  std::memcpy(&address, slots.slot(owner) + static_cast<std::size_t>(member) * sizeof address, sizeof address);
  return address;
}

/// The address and length of a buffer. A member's slot also serves as a table of these.
struct MemberBuffer {
  std::byte* address;
  std::size_t room;
};
inline void put_buffer(Slots& slots, int owner, int member, const MemberBuffer& place) noexcept {
  std::memcpy(slots.slot(owner) + static_cast<std::size_t>(member) * sizeof place, &place, sizeof place);
}
inline MemberBuffer get_buffer(const Slots& slots, int owner, int member) noexcept {
  MemberBuffer place{};
  std::memcpy(&place, slots.slot(owner) + static_cast<std::size_t>(member) * sizeof place, sizeof place);
  return place;
}

/// A bit in a length that a member publishes: the others read the data from that member's buffer.
inline constexpr std::size_t lent = std::size_t{1} << 47;

/// The longest block that goes through slots although members can access each other's buffers, if members cannot know
/// each other's lengths. The kernel may take longer to find the pages than a second copy takes. At most two rounds, so
/// the writer need not wait for the reader.
inline std::size_t longest_in_slots(const Slots& slots) noexcept {
  return slots.slot_bytes();
}

/// Members compare the paths for data longer than this. For shorter data a system call pays on no machine.
inline constexpr std::size_t longest_not_compared = 4 << 10;

/// Longest blocks that go through the slots if the members compare single copies with copies through slots: only blocks
/// for which a system call cannot pay.
inline std::size_t longest_if_compared(const Slots& slots) noexcept {
  return std::min(slots.slot_bytes(), longest_not_compared);
}

/// Longest blocks that go through the slots in operations whose data of any length go through slots, unless the
/// operation should take few rounds.
inline std::size_t longest_in_rounds(const Slots& slots) noexcept {
  return slots.async_progress() ? longest_in_slots(slots) : std::numeric_limits<std::size_t>::max();
}

/// Work that several members share, a piece at a time. Each member takes the next free piece, so all end at about the
/// same time, whenever they have arrived. The object lies in a member's inline data; that member makes it and then
/// publishes a step.
class SharedWork {
 public:
  /// `bytes`: of all pieces together; each piece holds whole elements. Helping members use the addresses.
  static SharedWork& make(Slots& slots, int owner, std::size_t bytes, const std::byte* address,
                          std::byte* second = nullptr, std::size_t element = 64) {
    const std::size_t piece = std::clamp(bytes / 8, shortest_piece, longest_piece);
    return *new (slots.inline_data(owner)) SharedWork(piece / element * element, address, second);
  }
  static SharedWork& of(const Slots& slots, int owner) noexcept {
    return *std::launder(reinterpret_cast<SharedWork*>(slots.inline_data(owner)));
  }

  const std::byte* address() const noexcept { return address_; }
  std::byte* second() const noexcept { return second_; }
  std::size_t piece() const noexcept { return piece_; }
  std::uint64_t pieces(std::size_t bytes) const noexcept { return (bytes + piece_ - 1) / piece_; }

  /// Takes a piece, if there is one left. The two members decide by their own orders which piece it is.
  bool take(std::uint64_t pieces) noexcept { return taken_.fetch_add(1, std::memory_order_relaxed) < pieces; }

  /// Calls move(offset, length) for the pieces that this member takes, of `bytes` in all. Returns their number.
  template <class Move>
  std::uint64_t share(std::size_t bytes, Move move) {
    std::uint64_t mine = 0;
    for (std::size_t at = 0; (at = taken_.fetch_add(1, std::memory_order_relaxed) * piece_) < bytes; ++mine)
      move(at, std::min(piece_, bytes - at));
    return mine;
  }

  /// Like share(), for a helping member. The owner waits for the member unless the owner has moved all pieces itself.
  template <class Move>
  void help(Slots& slots, std::size_t bytes, Move move) {
    try {
      share(bytes, [&](std::size_t at, std::size_t length) {
        move(at, length);
        helped_.fetch_add(1, std::memory_order_release);
      });
    } catch (...) {
      helped_.fetch_add(failure, std::memory_order_release);  // the owner must not wait for the remaining pieces
      slots.wake();
      throw;
    }
    slots.wake();
  }
  /// The number of pieces that other members have moved.
  const Atomic<std::uint64_t>& helped() const noexcept { return helped_; }
  /// Whether helping members failed to move a piece that they had taken.
  bool failed() const noexcept { return helped_.load(std::memory_order_relaxed) >= failure; }

 private:
  static constexpr std::uint64_t failure = std::uint64_t{1} << 32;
  static constexpr std::size_t shortest_piece = 32 << 10;
  static constexpr std::size_t longest_piece = 128 << 10;

  SharedWork(std::size_t piece, const std::byte* address, std::byte* second) noexcept
      : address_(address), second_(second), piece_(piece) {}

  const std::byte* address_;
  std::byte* second_;
  std::size_t piece_;
  Atomic<std::uint64_t> taken_ = 0;
  Atomic<std::uint64_t> helped_ = 0;
};
static_assert(sizeof(SharedWork) <= FlagLine::inline_bytes);

/// Reads a block from the root's buffer while the root helps by writing. The member that runs this task publishes two
/// steps, from `step` on.
Task borrow(Slots& slots, int root, const std::byte* theirs, std::span<std::byte> mine, std::uint64_t step = 1);

}  // namespace bowline::coll
