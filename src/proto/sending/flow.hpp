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

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "proto/matching/match.hpp"
#include "proto/services/service.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class FlowControl final : public Service {
 public:
  static constexpr std::uint64_t grant = 256;  ///< messages for which a hold is lifted

  explicit FlowControl(Engine& engine) noexcept;

  /// Sets the budget to an equal share of the process's budget.
  void share_budget(std::size_t lanes) noexcept;

  /// Charges an unexpected message, and throttles its sender if there are too many.
  void charge(const Unexpected& message) noexcept;
  /// The memory of an unexpected message is free again.
  void refund(std::size_t bytes) noexcept {
    charged_ -= bytes;
    if (throttles() && charged_ <= budget_ / 4) [[unlikely]]
      end_throttling();
  }
  /// Whether an order to a sender is in force.
  bool throttles() const noexcept { return !announcing_.empty(); }  // a sender that holds also announces

  /// Counts an arriving announcement against the grant of its sender.
  void note_arrival(int peer, transport::Header envelope) noexcept;
  /// Lifts the holds on messages that a posted receive may match.
  void lift_needed_holds() noexcept;
  /// Lifts the holds on messages that this probe may match.
  void lift_holds(Match match) noexcept;

 private:
  /// A sender that holds back a context. `envelope` gives the context and the sender's rank in it.
  struct Hold {
    int peer;
    transport::Header envelope;
    std::uint64_t granted;  ///< messages that may still arrive although the context is held
  };

  static std::span<const MessageKind> message_kinds() noexcept;
  void announce_all_arrived(const Arrival& message);
  void announce_long_arrived(const Arrival& message);
  void hold_arrived(const Arrival& message);
  void resume_arrived(const Arrival& message);

  void throttle(const Unexpected& message);
  void end_throttling() noexcept;
  void lift(Hold& hold, std::uint64_t messages) noexcept;
  Hold* find_hold(int peer, transport::Header envelope) noexcept;

  std::size_t budget_;
  std::size_t charged_ = 0;
  std::vector<int> announcing_;  ///< processes
  std::vector<Hold> holds_;
};

}  // namespace bowline::proto
