// SPDX-License-Identifier: BSD-3-Clause
// Flow control: what messages that nobody has asked for may cost this process.
//
// Every unexpected message is charged to a budget. Past half of it, senders are told to announce everything
// (announce_all): from then on a message costs its envelope only. Past three quarters, they are told to keep even
// announcements of that context to themselves (hold): then nothing more comes, except what was on its way. Below a
// quarter both are taken back. For a receive or probe that a held message might match the hold is lifted at once, for a
// number of messages, and again when they have come: a program whose receives need more messages than the budget has
// room for gets them, and the memory.
//
// Costs nothing while messages are expected. Senders keep their side in Peer.
#pragma once

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
  /// Whether some sender has been told anything that may have to be taken back.
  bool restrains() const noexcept { return !announcing_.empty(); }  // who holds, announces

  /// A sender that has been told to hold. `envelope` names the context and its rank there.
  struct Hold {
    int peer;
    transport::Header envelope;
    std::uint64_t granted;  ///< messages that may still come because a receive needs one
  };
  static constexpr std::uint64_t grant = 256;  ///< messages for which a hold is lifted

  /// Notes that the peer announces everything; false if that is known.
  bool note_announcing(int peer);
  /// Notes that the peer holds; false if that is known.
  bool note_hold(int peer, transport::Header envelope);

  /// Notes that an announced message has arrived.
  void note_arrival(int peer, transport::Header envelope) noexcept;

  std::vector<int>& announcing() noexcept { return announcing_; }
  std::vector<Hold>& holds() noexcept { return holds_; }

 private:
  Hold* find_hold(int peer, transport::Header envelope) noexcept;

  std::size_t budget_;
  std::size_t charged_ = 0;
  std::vector<int> announcing_;  ///< world ranks
  std::vector<Hold> holds_;
};

}  // namespace bowline::proto
