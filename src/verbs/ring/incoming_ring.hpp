// SPDX-License-Identifier: BSD-3-Clause
// IncomingRing: the receiver's half of a ring (ring_layout.hpp explains both).
//
// A ring is open: the peer may write; or closed: it may not, and nothing of it is under way. Between the two the peer
// has been told that it is closed, but may have claimed a slot before it could know. open() and close() only note what
// is wanted; Connection::tend_ring() writes and reads the peer's ticket.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "transport/transport.hpp"
#include "verbs/ring/ring_layout.hpp"
#include "verbs/ring/ring_tickets.hpp"
#include "verbs/verbs_adapter.hpp"

namespace bowline::verbs {

class Connection;
class RingPool;

class IncomingRing final : public transport::Operation {
 public:
  /// `memory`: ring_bytes bytes. `answer`: where the adapter puts what it reads from the peer's ticket.
  IncomingRing(RingPool& pool, RegisteredBlock memory, RingTickets::Place answer) noexcept
      : pool_(pool), memory_(std::move(memory)), answer_(answer) {
    clear();
  }
  IncomingRing(const IncomingRing&) = delete;
  IncomingRing& operator=(const IncomingRing&) = delete;

  /// Gives it to a peer, who writes the slot with this number first. It is closed.
  void give_to(Connection& owner, std::uint32_t first) noexcept;
  /// Takes it from its owner. Nothing may be written into it any more.
  void take_back() noexcept;
  Connection* owner() const noexcept { return owner_; }

  // ---- messages

  /// The next message, WireHeader included; empty if it is not there. Valid until pop().
  std::span<const std::byte> front() const noexcept {
    std::byte* const word_place = memory_.memory() + (taken_ % ring_slots + 1) * slot_bytes - sizeof(std::uint64_t);
    const std::uint64_t word =
        std::atomic_ref(*reinterpret_cast<std::uint64_t*>(word_place)).load(std::memory_order_acquire);
    const std::size_t bytes = bytes_of_word(word);
    if (word != slot_word(taken_, bytes) || bytes < sizeof(WireHeader) || bytes > longest_in_slot) return {};
    return {word_place - place_bytes(bytes), bytes};
  }
  /// The next message has been taken.
  void pop() noexcept { ++taken_; }
  /// Number of the slot of the next message.
  std::uint32_t taken() const noexcept { return taken_; }

  // ---- what the peer may do

  void open() noexcept { wanted_open_ = true; }
  void close() noexcept { wanted_open_ = false; }
  /// Closes it for good: whoever finds it closed takes it back.
  void withdraw() noexcept {
    close();
    withdrawn_ = true;
  }
  bool is_withdrawn() const noexcept { return withdrawn_; }
  bool is_open() const noexcept { return wanted_open_ || told_open_; }
  bool is_closed() const noexcept {
    return !is_open() && !asking_ && posted_known_ && posted_ == static_cast<std::uint8_t>(taken_);
  }
  /// Whether the peer must be told how many slots it may write.
  bool must_tell() const noexcept {
    if (!wanted_open_) return told_open_;
    return !told_open_ || told_ - taken_ <= ring_slots / 4;
  }
  /// What to write into the peer's ticket, of which the limit suffices if knows_place(). From now on the peer counts as
  /// told.
  RingTicket tell() noexcept;
  bool knows_place() const noexcept { return told_place_; }
  /// Whether it must be found out how much the peer has claimed, because the ring is neither open nor closed.
  bool must_ask() const noexcept { return !is_open() && !asking_ && !is_closed(); }
  /// The number of claimed slots is being read to `posted` in this place. Notify the ring of the end.
  const RingTickets::Place& ask() noexcept {
    asking_ = true;
    return answer_;
  }
  bool is_asking() const noexcept { return asking_; }
  /// Whether Connection::tend_ring() has something to do.
  bool needs_tending() const noexcept { return must_tell() || must_ask() || (withdrawn_ && is_closed()); }
  void ended(const Error* failure) noexcept override;

  // ---- use

  /// Messages since the last look.
  std::uint32_t use() const noexcept { return taken_ - taken_at_look_; }
  void look() noexcept { taken_at_look_ = taken_; }

 private:
  void clear() noexcept { std::memset(memory_.memory(), 0, ring_bytes); }

  RingPool& pool_;
  RegisteredBlock memory_;
  RingTickets::Place answer_;
  Connection* owner_ = nullptr;
  std::uint32_t taken_ = 0;
  std::uint32_t told_ = 0;  ///< the peer may write slots with lower numbers
  std::uint32_t taken_at_look_ = 0;
  std::uint8_t posted_ = 0;  ///< number of slots that the peer has claimed, as read last
  bool posted_known_ = false;
  bool asking_ = false;
  bool wanted_open_ = false;
  bool told_open_ = false;  ///< the peer believes that it is open
  bool told_place_ = false;
  bool withdrawn_ = false;
};

}  // namespace bowline::verbs
