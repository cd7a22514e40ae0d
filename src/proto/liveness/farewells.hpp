// SPDX-License-Identifier: BSD-3-Clause
// Good-byes by messages: a process in MPI_Finalize that has handed over all messages of its program notifies its peers.
// Processes that share memory read a word there instead (Endpoint::left).
//
// A program that ends properly needs no good-byes, so none are sent before a rank has waited for long. Such a rank asks
// the rank for which it waits, once; that rank answers as soon as all its messages are handed over. A rank that has
// been in MPI_Finalize for long notifies every connected peer, because a peer that has only received has no way to ask.
//
// The messages of one peer arrive in order, so no message of its program follows its good-bye. Sessions may follow the
// good-bye of a program: only operations on communicators of MPI_Init's world end with it. The good-bye of a process,
// which is about to end, ends all operations.
#pragma once

#include <set>
#include <span>

#include "proto/peer.hpp"
#include "proto/services/service.hpp"

namespace bowline::proto {

class Farewells final : public Service {
 public:
  explicit Farewells(Engine& engine) noexcept : Service(engine, message_kinds()) {}

  /// Announces the end of this program or process. The program must neither send nor receive any more, and all its
  /// messages must be handed over. From now on the engine sends good_bye to each peer that asks for it or has asked;
  /// with `to_all` also to every connected peer that has no other way to learn of the end. May be called again.
  void say_good_bye(Farewell farewell, bool to_all) noexcept;
  /// Every other process has ended its program, as this one has: marks the connected peers accordingly.
  void all_have_left() noexcept;
  /// This process begins to end what connects its job with that process's: from now on that process may end at any
  /// time, and its end is no loss.
  void begins_to_part_from(int process) { parting_.insert(process); }
  bool is_parting_from(int process) const noexcept { return parting_.contains(process); }
  /// This process and that one have ended what connected their jobs; process `process` counts as having left.
  void parts_from(int process);
  /// This process and that one are connected again, if they were before.
  void meets(int process) noexcept;
  /// Asks the peer for its good-bye, once. If the transport has no room now, the next check for lost peers asks again:
  /// a queued message would keep this process from sleeping.
  static void ask_for_end(Peer& peer) noexcept;

 private:
  static std::span<const MessageKind> message_kinds() noexcept;
  void tell_end_arrived(const Arrival& message);
  void good_bye_arrived(const Arrival& message);
  void tell_good_bye(Peer& peer) noexcept;

  Farewell farewell_ = Farewell::none;  ///< of the latest say_good_bye()
  std::set<int> await_end_;             ///< ranks that asked for good_bye before the latest say_good_bye()
  std::set<int> parting_;               ///< processes from begins_to_part_from() to parts_from()
};

}  // namespace bowline::proto
