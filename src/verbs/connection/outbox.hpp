// SPDX-License-Identifier: BSD-3-Clause
// Outbox: what goes to one peer: messages as far as the peer has buffers, accesses to its memory as far as there is
// room, and the credits with which the peer may send.
#pragma once

#include <cstdint>
#include <span>

#include "base/list.hpp"
#include "transport/transport.hpp"
#include "verbs/connection/arrival_proof.hpp"
#include "verbs/connection/connection_notes.hpp"
#include "verbs/connection/peer_credits.hpp"
#include "verbs/connection/peer_link.hpp"
#include "verbs/connection/send_queue.hpp"
#include "verbs/connection/verbs_wire.hpp"
#include "verbs/send_work.hpp"

namespace bowline::verbs {

/// An access to a peer's memory that has not been posted as a whole.
class Waiting : public ListNode {
 public:
  enum class Advance : std::uint8_t {
    whole,    ///< nothing is left; advance() must not be called again
    blocked,  ///< the access can go on when a request of this connection has completed
    starved,  ///< the access can go on when any connection has given back a request or a slot
  };
  /// Queues as much as there is room for. Must not notify anybody.
  virtual Advance advance() noexcept = 0;
  /// Nothing more can be posted. Everything that was posted has ended.
  virtual void fail(const Error& why) noexcept = 0;

 protected:
  ~Waiting() = default;
};

class Outbox {
 public:
  /// All arguments must outlive the outbox. Tells `owner` if the adapter refuses requests.
  Outbox(Connection& owner, PeerLink& link, ArrivalProof& arrival, WorkPool& works, CreditPool& credits,
         ConnectionNotes& notes) noexcept;
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  PeerCredits& credits() noexcept { return credits_; }

  // ---- messages

  transport::Post send(transport::Header header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) noexcept;
  /// Says that this process ends; false if there is no room now.
  bool say_bye() noexcept;
  /// Makes the device call return_credits() soon.
  void schedule_credits() noexcept;
  /// As schedule_credits(); the peer waits for a message before it sends.
  void schedule_message() noexcept;
  /// Tells the peer of its credits, as far as that is necessary; false if there is no room now.
  bool return_credits() noexcept;

  // ---- accesses

  /// Posts the access now if nothing waits, else when everything before it is posted.
  void begin(Waiting& access) noexcept;
  /// Whether there is room for a request that is part of an access.
  bool has_room() const noexcept { return link_.is_ready() && queue_.has_room(kept_for_messages); }
  /// Takes a request of an access, only if there is room. The adapter gets the request together with the requests that
  /// follow in the same call of advance(), so that one call hands over all.
  void queue(SendWork& work) noexcept { queue_.push(work); }
  /// See ArrivalProof::make().
  bool make_proof(SendWork& work) noexcept { return arrival_.make(work, works_); }
  /// Posts what waits, as far as there is room.
  void pump() noexcept;
  /// Posts what waits. The device calls it after each note of room, until it returns true.
  bool use_room() noexcept;

  // ---- the end of requests

  bool is_idle() const noexcept { return queue_.empty() && waiting_.empty() && arrival_.is_complete(); }
  /// Makes sure that the completion of the last request will be reported. Call repeatedly.
  void hasten() noexcept;
  /// The completion of this request is reported.
  void completed(SendWork& work) noexcept;
  /// Ends everything with this error. The adapter uses none of the requests any more.
  void end_all(const Error& failure) noexcept;

  // ---- a new queue pair

  /// Whether the peer has not received a message that has ended here.
  bool lacks_messages(const Handshake& theirs) noexcept;
  /// The peer's handshake tells a new queue pair.
  void start(const Handshake& theirs) noexcept;
  /// The new queue pair can send. Sends again what the peer has not received.
  void repeat() noexcept;

 private:
  /// Requests of the send queue that accesses leave to messages; the last of these requests are for credits and the
  /// bye.
  static constexpr unsigned kept_for_messages = 16;
  static constexpr unsigned kept_for_ourselves = 2;

  SendWork* prepare(WireKind kind, transport::Header header, std::span<const std::byte> prefix,
                    std::span<const std::byte> body) noexcept;
  bool send_own(WireKind kind) noexcept;
  void post(SendWork& work) noexcept;
  void flush() noexcept;
  Waiting::Advance advance_all() noexcept;
  void note_room() noexcept;

  Connection& owner_;
  PeerLink& link_;
  ArrivalProof& arrival_;
  WorkPool& works_;
  ConnectionNotes& notes_;
  PeerCredits credits_;
  SendQueue queue_;
  List<Waiting> waiting_;
  std::uint32_t their_link_ = 0;
  std::uint32_t their_received_ = 0;  ///< messages, when the present epoch began
  std::uint32_t sent_ = 0;            ///< messages
  bool credits_scheduled_ = false;    ///< the device will call return_credits()
  bool message_scheduled_ = false;    ///< the peer waits for a message before it sends
  bool noted_room_ = false;           ///< the device will call use_room()
};

}  // namespace bowline::verbs
