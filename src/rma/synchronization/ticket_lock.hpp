// SPDX-License-Identifier: BSD-3-Clause
// TicketLock: the lock of a window's target, in memory that processes share. It admits readers and writers in the order
// in which they come; consecutive readers hold it together. It has no owner and no server: a requester draws a ticket
// and watches a word that grows up to its ticket, so a process may wait for any number of locks, and a handler may draw
// a ticket for a process of another node and continue.
//
// The algorithm is the ticket-based reader/writer lock of Mellor-Crummey and Scott (PPoPP 1991), with 64-bit tickets
// that never wrap.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace bowline::rma {

/// MPI_LOCK_SHARED and MPI_LOCK_EXCLUSIVE.
enum class LockKind : std::uint8_t { none, shared, exclusive };

/// Starts as zeros, unlocked.
class TicketLock {
 public:
  /// Takes the next place in the queue. The caller must then wait until word(kind) has reached the ticket, call
  /// entered(), and release() later.
  std::uint64_t draw() noexcept { return next_.fetch_add(1, std::memory_order_acq_rel); }
  /// The word that reaches the ticket when its holder may enter.
  const Atomic<std::uint64_t>& word(LockKind kind) const noexcept {
    return kind == LockKind::exclusive ? ended_ : admitted_;
  }
  /// Admits the next reader after this reader. Returns whether a process may wait for the admission.
  void entered(LockKind kind, std::uint64_t ticket) noexcept {
    if (kind == LockKind::shared) admitted_.store(ticket + 1, std::memory_order_release);
  }
  void release(LockKind kind) noexcept {
    if (kind == LockKind::exclusive) admitted_.fetch_add(1, std::memory_order_acq_rel);
    ended_.fetch_add(1, std::memory_order_acq_rel);
  }
  /// Whether a ticket has been drawn whose holder has not released the lock.
  bool in_use() const noexcept {
    return ended_.load(std::memory_order_relaxed) != next_.load(std::memory_order_relaxed);
  }

 private:
  Atomic<std::uint64_t> next_{0};
  Atomic<std::uint64_t> admitted_{0};  ///< lowest ticket that a reader has not passed
  Atomic<std::uint64_t> ended_{0};     ///< number of releases
};

}  // namespace bowline::rma
