// SPDX-License-Identifier: BSD-3-Clause
// Interruptions: communicators whose operations fail although their processes live, because a call has waited for
// longer than the program allows (info key bowline_timeout).
//
// Pending operations of this process fail at once and later ones when they start. Other members are told only by
// collectives, which send their failure instead of data. They may still send: what arrives for an interrupted
// communicator is dropped. A message may name a send or receive that has failed so; such a message is ignored. The
// transport goes on with what it already has, because it reads or writes the user's memory: such a send completes when
// the transfer ends, without an error unless a part of the data still waits here.
//
// Nothing on the way of a short message looks here. An interrupted context has a queue that refuses receives
// (MatchQueue::refuse), and the communicator refuses ranks (comm::Communicator::interrupt).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/failure.hpp"

namespace bowline::proto {

class Engine;
class Peer;
struct Watch;

/// Threading: as the engine.
class Interruptions {
 public:
  explicit Interruptions(Engine& engine) noexcept : engine_(engine) {}

  /// Interrupts the communicator with this context, whatever the purpose. Does nothing if it is interrupted already.
  /// Throws std::bad_alloc; the call may then be repeated.
  void interrupt(std::uint32_t context, const Failure& why);
  /// Why the communicator with this context is interrupted; nullptr if it is not.
  Failure of(std::uint32_t context) const noexcept { return any() ? find(context) : Failure(); }
  bool any() const noexcept { return !interrupted_.empty(); }
  /// Whether any communicator was ever interrupted: messages may name requests that have failed so.
  bool ever() const noexcept { return ever_; }
  /// No communicator uses the context any more.
  void forget(std::uint32_t context) noexcept;

  /// Fails a watch of an interrupted communicator.
  void look_at_new(Watch& watch) noexcept {
    if (any()) [[unlikely]]
      fail_if_interrupted(watch);
  }

 private:
  Failure find(std::uint32_t context) const noexcept;
  void fail_sends(Peer& peer, std::uint32_t context, const Failure& why) noexcept;
  void fail_filled(Peer& peer, std::uint32_t context, const Failure& why) noexcept;
  void fail_if_interrupted(Watch& watch) const noexcept;

  Engine& engine_;
  std::vector<std::pair<std::uint32_t, Failure>> interrupted_;  ///< few
  bool ever_ = false;
};

}  // namespace bowline::proto
