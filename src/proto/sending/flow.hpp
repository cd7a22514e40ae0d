// SPDX-License-Identifier: BSD-3-Clause
// Flow control: bounds the memory that unexpected messages take in this process.
//
// Every unexpected message is charged to a budget. Above half of the budget, senders must announce every message
// (announce_all); a message then costs its envelope only. Above three quarters, senders must not even announce messages
// of that context (pause); then only messages that are already on their way arrive. Below a quarter, both orders are
// revoked. If a posted receive or a probe may match a message of a paused sender, that sender may resume at once for a
// number of messages, and again when they have arrived. A program whose receives need more messages than the budget
// allows thus gets them, and the memory for them.
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
  static constexpr std::uint64_t grant = 256;  ///< messages for which a paused sender may resume

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
  bool throttles() const noexcept { return !announcing_.empty(); }  // a paused sender also announces

  /// Counts an arriving announcement against the grant of its sender.
  void note_arrival(int peer, transport::Header envelope) noexcept;
  /// Lets senders resume whose messages a posted receive may match.
  void resume_needed() noexcept;
  /// Lets senders resume whose messages this probe may match.
  void resume_for(Match match) noexcept;

 private:
  /// A sender that was told to pause in a context. `envelope` gives the context and the sender's rank in it.
  struct PausedSender {
    int peer;
    transport::Header envelope;
    std::uint64_t granted;  ///< messages that may still arrive although the context is paused
  };

  static std::span<const MessageKind> message_kinds() noexcept;
  void announce_all_arrived(const Arrival& message);
  void announce_long_arrived(const Arrival& message);
  void pause_arrived(const Arrival& message);
  void resume_arrived(const Arrival& message);

  void throttle(const Unexpected& message);
  void end_throttling() noexcept;
  void resume(PausedSender& sender, std::uint64_t messages) noexcept;
  PausedSender* find_paused(int peer, transport::Header envelope) noexcept;

  std::size_t budget_;
  std::size_t charged_ = 0;
  std::vector<int> announcing_;  ///< processes
  std::vector<PausedSender> paused_;
};

}  // namespace bowline::proto
