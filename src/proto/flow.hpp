// SPDX-License-Identifier: BSD-3-Clause
// Flow control: bounds the memory that unexpected messages take in this process.
//
// Every unexpected message is charged to a budget. Above half of it, senders must announce every message
// (announce_all); a message then costs its envelope only. Above three quarters, senders must hold back even the
// announcements of that context (hold); then only messages that are already on their way arrive. Below a quarter, both
// orders are revoked. If a posted receive or a probe may match a held message, the hold is lifted at once for a number
// of messages, and again when they have arrived. A program whose receives need more messages than the budget allows
// thus gets them, and the memory for them.
//
// Flow control costs nothing while messages are expected. The state of the sender's side is in Peer.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::proto {

class FlowControl {
 public:
  explicit FlowControl(std::size_t budget) noexcept : budget_(budget) {}
  void set_budget(std::size_t budget) noexcept { budget_ = budget; }

  void charge(std::size_t bytes) noexcept { charged_ += bytes; }
  void refund(std::size_t bytes) noexcept { charged_ -= bytes; }
  std::size_t charged() const noexcept { return charged_; }

  bool wants_announcements() const noexcept { return charged_ > budget_ / 2; }
  bool wants_nothing() const noexcept { return charged_ > budget_ / 4 * 3; }
  bool relaxed() const noexcept { return charged_ <= budget_ / 4; }
  /// Whether an order to a sender is in force.
  bool restrains() const noexcept { return !announcing_.empty(); }  // a sender that holds also announces

  /// A sender that holds back a context. `envelope` gives the context and the sender's rank in it.
  struct Hold {
    int peer;
    transport::Header envelope;
    std::uint64_t granted;  ///< messages that may still arrive although the context is held
  };
  static constexpr std::uint64_t grant = 256;  ///< messages for which a hold is lifted

  /// Records that the peer announces everything; false if that was recorded before.
  bool note_announcing(int peer);
  /// Records that the peer holds back the envelope's context; false if that was recorded before.
  bool note_hold(int peer, transport::Header envelope);

  /// Counts an arriving announcement against the grant of its sender.
  void note_arrival(int peer, transport::Header envelope) noexcept;

  std::vector<int>& announcing() noexcept { return announcing_; }
  std::vector<Hold>& holds() noexcept { return holds_; }

 private:
  Hold* find_hold(int peer, transport::Header envelope) noexcept;

  std::size_t budget_;
  std::size_t charged_ = 0;
  std::vector<int> announcing_;  ///< processes
  std::vector<Hold> holds_;
};

/// How long a message for which there is no memory is tried again. A shortage lasts as long as requests for memory fail
/// at most `pause` apart. That other requests succeed meanwhile does not end it: a short message may find memory where
/// a long one never does.
class MemoryShortage {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds longest{10};
  static constexpr std::chrono::seconds pause{1};

  /// Notes a request that has failed. Returns whether it may be tried again; false if the shortage lasts too long.
  bool may_end(Clock::time_point now) noexcept {
    if (now - last_ > pause) first_ = now;
    last_ = now;
    return now - first_ < longest;
  }

 private:
  Clock::time_point first_{};
  Clock::time_point last_{};
};

}  // namespace bowline::proto
