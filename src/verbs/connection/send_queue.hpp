// SPDX-License-Identifier: BSD-3-Clause
// SendQueue: the requests to one peer, oldest first, until they have ended. The last ones may be those that the adapter
// has not got yet: it is told once of several.
#pragma once

#include <cstdint>

#include "base/failure.hpp"
#include "base/list.hpp"
#include "verbs/connection/arrival_proof.hpp"
#include "verbs/connection/connection_notes.hpp"
#include "verbs/connection/peer_link.hpp"
#include "verbs/send_work.hpp"

namespace bowline::verbs {

class SendQueue {
 public:
  /// Requests go back to `works`. Operations that end are counted in `notes`.
  SendQueue(WorkPool& works, ConnectionNotes& notes) noexcept : works_(works), notes_(notes) {}
  SendQueue(const SendQueue&) = delete;
  SendQueue& operator=(const SendQueue&) = delete;

  bool empty() const noexcept { return count_ == 0; }
  /// Whether there is room for a request beside so many others.
  bool has_room(unsigned others = 0) const noexcept { return count_ + others < send_depth; }

  /// Appends a request, for which there is room.
  void push(SendWork& work) noexcept;
  /// The completion of the next request is to be reported.
  void report_next() noexcept;
  /// Hands to the adapter the requests that it has not got. Returns the errno with which the adapter has refused them.
  int flush(const PeerLink& link) noexcept;

  /// The completion of `reported` has arrived. Ends this request and all requests that its completion proves to have
  /// ended.
  void complete(SendWork& reported, ArrivalProof& arrival) noexcept;
  /// Whether the completion of what is under way will prove that everything has arrived.
  bool ends_proven(const ArrivalProof& arrival) noexcept;
  /// Number of the oldest message under way; `next`, the number of the next message, if there is none.
  std::uint32_t oldest_message(std::uint32_t next) noexcept;

  /// There is a new queue pair. Pushes again, in order, what must be repeated if the peer has received so many
  /// messages; the other requests go into `ended`, each for end().
  void repeat(std::uint32_t received, List<SendWork>& ended) noexcept;
  /// Gives a request back, and notifies its operation. `failure`: nullptr for success.
  void end(SendWork& work, const Error* failure) noexcept;
  /// Ends all requests, of which the adapter uses none any more.
  void end_all(const Error& failure) noexcept;

 private:
  void finish(SendWork& done) noexcept;

  WorkPool& works_;
  ConnectionNotes& notes_;
  List<SendWork> under_way_;
  unsigned count_ = 0;                ///< of under_way_
  unsigned unsignalled_ = 0;          ///< the last requests, whose completion is not reported
  SendWork* first_queued_ = nullptr;  ///< the first of the linked requests that the adapter has not got yet
  SendWork* last_queued_ = nullptr;
};

}  // namespace bowline::verbs
