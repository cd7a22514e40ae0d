// SPDX-License-Identifier: BSD-3-Clause
// RingPool: the rings of a lane, and the peers that have them.
//
// A peer of which many short messages come through the receive queue gets a ring. If all are in use, the one that was
// used least is withdrawn, if it was used clearly less; the next peer of which many messages come gets it. What counts
// is the use since the last look, and a look is taken after a number of messages, not of seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "verbs/ring/incoming_ring.hpp"

namespace bowline::verbs {

/// How many short messages of a peer have come through the receive queue since a look.
struct RingDemand {
  std::uint16_t look = 0;
  std::uint16_t messages = 0;
};

class RingPool {
 public:
  /// Short messages since the last look that earn a ring, and with which a ring that was closed for a sleep is opened
  /// again.
  static constexpr std::uint16_t for_a_ring = 64;
  static constexpr std::uint16_t for_opening = 16;

  /// At most `most` rings; their memory is taken when it is needed.
  RingPool(Adapter& adapter, RingTickets& tickets, unsigned most) noexcept
      : adapter_(adapter), tickets_(tickets), most_(most) {}
  RingPool(const RingPool&) = delete;
  RingPool& operator=(const RingPool&) = delete;

  bool is_off() const noexcept { return most_ == 0; }
  /// Those that peers have.
  std::span<IncomingRing* const> given() const noexcept { return given_; }

  /// A message that a ring would have taken has come through the receive queue.
  void heard(Connection& from) noexcept;
  /// The owner does not have it any more.
  void release(IncomingRing& ring) noexcept;
  /// A ring that was released can be given away.
  void put_back(IncomingRing& ring) noexcept { free_.push_back(&ring); }

 private:
  static constexpr unsigned messages_per_look = 1024;

  IncomingRing* find_free() noexcept;
  void make_one_free() noexcept;

  Adapter& adapter_;
  RingTickets& tickets_;
  std::size_t most_;
  std::vector<std::unique_ptr<IncomingRing>> all_;
  std::vector<IncomingRing*> given_;  ///< has room for all
  std::vector<IncomingRing*> free_;   ///< has room for all
  unsigned heard_ = 0;                ///< since the last look
  std::uint16_t looks_ = 0;
};

}  // namespace bowline::verbs
