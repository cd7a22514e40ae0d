// SPDX-License-Identifier: BSD-3-Clause
// OutgoingRing: the sender's half of a ring (ring_layout.hpp explains both).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "verbs/ring/ring_layout.hpp"

namespace bowline::verbs {

class OutgoingRing {
 public:
  /// Never has a slot.
  OutgoingRing() = default;
  /// `ticket`: registered memory that the peer's adapter writes and reads; it must outlive this. `max_inline`: most
  /// bytes that the own adapter takes inside a request.
  OutgoingRing(RingTicket& ticket, std::size_t max_inline) noexcept
      : ticket_(&ticket), longest_(std::min(max_inline, slot_bytes)) {
    start();
  }

  /// The longest write that it makes, in bytes; 0: none.
  std::size_t longest() const noexcept { return longest_; }
  /// Whether it takes messages of this length, WireHeader included, as long as it has slots.
  bool takes(std::size_t message_bytes) const noexcept { return write_bytes(message_bytes) <= longest_; }

  /// Claims the next slot; false if the peer allows none now. After true, the slot must be written, or given back.
  bool claim() noexcept {
    if (!has_slot(std::memory_order_relaxed)) return false;
    tell_posted(next_ + 1, std::memory_order_seq_cst);
    if (has_slot(std::memory_order_seq_cst)) [[likely]] {
      ++next_;
      return true;
    }
    tell_posted(next_, std::memory_order_release);
    return false;
  }
  /// Gives back the slot that was claimed last.
  void unclaim() noexcept { tell_posted(--next_, std::memory_order_release); }
  /// Appends to a message, which stands in `write`, the word of the slot that was claimed last. Returns the address to
  /// which write_bytes(message_bytes) bytes are to be written, in the memory of key().
  std::uint64_t finish(std::byte* write, std::size_t message_bytes) const noexcept {
    const std::uint32_t number = next_ - 1;
    const std::uint64_t word = slot_word(number, message_bytes);
    std::memcpy(write + place_bytes(message_bytes), &word, sizeof word);
    return ticket_->address + (number % ring_slots + 1) * slot_bytes - write_bytes(message_bytes);
  }
  std::uint32_t key() const noexcept { return ticket_->key; }

  /// Begins anew, with another queue pair. The peer's adapter must not access the ticket now.
  void start() noexcept {
    if (ticket_ == nullptr) return;
    *ticket_ = {};
    next_ = 0;
  }

 private:
  bool has_slot(std::memory_order order) const noexcept {
    const std::uint8_t limit = std::atomic_ref(ticket_->limit).load(order);
    return static_cast<std::int8_t>(limit - static_cast<std::uint8_t>(next_)) > 0;
  }
  void tell_posted(std::uint32_t number, std::memory_order order) noexcept {
    std::atomic_ref(ticket_->posted).store(static_cast<std::uint8_t>(number), order);
  }

  RingTicket* ticket_ = nullptr;
  std::size_t longest_ = 0;
  std::uint32_t next_ = 0;  ///< number of the next slot
};

}  // namespace bowline::verbs
