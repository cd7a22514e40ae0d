// SPDX-License-Identifier: BSD-3-Clause
// Rings: memory of a receiver into which one sender's adapter writes short messages, and which the receiver polls. Such
// a message needs no receive buffer and makes no completion at the receiver.
//
// A ring is an array of slots. A message stands at the end of its slot, and behind it the word of the slot:
//
//   slot   | unused ...          | WireHeader | prefix | body | up to 7 bytes | word |
//
// The word says which message it is and how long it is. It is the last part of one RDMA write, and adapters write a
// write's bytes in ascending order: a receiver that sees the word sees the message. That holds for registered memory
// without relaxed ordering, on every adapter that Bowline knows, although the InfiniBand specification does not promise
// it. The place of the word is the same in every lap and never holds anything else, and a word of an earlier lap has
// another number. So the receiver need not clear a slot; it clears the ring before another peer gets it.
//
// The ticket stands in the sender's memory, and there is one per connection and direction. The receiver's adapter
// writes into it where the ring is and how many slots may be written. So the sender hears of a ring, and of free slots,
// without handling a message, and a receiver takes a ring back without the help of the sender's processor:
//
//   sender                                       receiver, through its adapter
//   1. posted = next + 1                         1. writes limit: no slots any more
//   2. reads limit; if there is no slot:         2. reads posted
//      posted = next, sends through the queue    3. has got all slots below posted: nothing comes any more
//   3. writes the slot
//
// Between 1 and 2 each side makes its store visible to the other before it reads: the sender by a full fence, the
// receiver because an adapter executes a read after the writes before it. So one of the two sees what the other has
// stored: the sender the limit, or the receiver the number of a slot that will be written.
//
// That is how a receiver goes to sleep, because a message in a ring wakes nobody (VerbsDevice::ready()), and how it
// takes a ring from one peer to give it to another (ring_pool.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "verbs/connection/verbs_wire.hpp"

namespace bowline::verbs {

inline constexpr std::uint32_t ring_slots = 32;
inline constexpr std::size_t slot_bytes = 256;
inline constexpr std::size_t ring_bytes = ring_slots * slot_bytes;

/// Written and read by the peer's adapter. Numbers of slots are given modulo 256, so that each is one byte, of which
/// nobody sees only a half.
struct alignas(64) RingTicket {
  // The peer writes these three at once, or the last word alone.
  std::uint64_t address;  ///< of the ring, in the peer
  std::uint32_t key;      ///< of the peer's adapter for it
  std::uint32_t unused;
  std::uint8_t zero[7];
  std::uint8_t limit;  ///< slots with lower numbers may be written
  // The peer reads this.
  std::uint8_t posted;  ///< slots with lower numbers are written, or will be
};
static_assert(sizeof(RingTicket) == 64 && offsetof(RingTicket, limit) == 23 && offsetof(RingTicket, posted) == 24);

/// The word behind a message in the slot with this number; slots are numbered on from lap to lap. Never 0, because no
/// message is empty.
constexpr std::uint64_t slot_word(std::uint32_t number, std::size_t message_bytes) noexcept {
  return std::uint64_t{number} << 16 | message_bytes;
}
constexpr std::size_t bytes_of_word(std::uint64_t word) noexcept {
  return word & 0xffff;
}

/// The length of a message's place in a slot.
constexpr std::size_t place_bytes(std::size_t message_bytes) noexcept {
  constexpr std::size_t word = sizeof(std::uint64_t);
  return (message_bytes + word - 1) / word * word;
}
/// The length of the write that brings a message, WireHeader included.
constexpr std::size_t write_bytes(std::size_t message_bytes) noexcept {
  return place_bytes(message_bytes) + sizeof(std::uint64_t);
}
/// The longest message that any ring takes, WireHeader included.
inline constexpr std::size_t longest_in_slot = slot_bytes - sizeof(std::uint64_t);

}  // namespace bowline::verbs
