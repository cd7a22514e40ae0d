// SPDX-License-Identifier: BSD-3-Clause
// The outbox: what an engine sends, in order. A short message goes directly into the transport. A message for which
// there is no room waits in order at its peer; progress sends it.
//
// Small messages of the protocols (controls) overtake the sends that wait, because they are about messages that are
// matched already.
#pragma once

#include <cstddef>
#include <span>

#include "base/list.hpp"
#include "base/pool.hpp"
#include "proto/peer.hpp"
#include "proto/request.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

class Engine;
class IovList;

class Outbox {
 public:
  explicit Outbox(Engine& engine) noexcept : engine_(engine) {}

  /// Sends the message if it needs no request: it is short, has no holes, none waits before it, and the transport takes
  /// it at once. Otherwise does nothing and returns false. Inline, so that the arguments of the entry points stay in
  /// registers.
  static bool goes_straight(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode) noexcept {
    return !peer.waiting() && buffer.type->contiguous() && peer.goes_straight(buffer.bytes()) &&
           mode == Mode::standard &&
           peer.endpoint->send(header, {}, {buffer.data(), buffer.bytes()}) == transport::Post::done;
  }
  /// Like goes_straight(), for a short message that has holes, which this function packs.
  static bool goes_packed(Peer& peer, transport::Header header, const Buffer& buffer, Mode mode);

  /// Counts a message or piece that was sent. A process that only sends must still receive requests to pause
  /// (flow.hpp): must_look() tells it to make progress after a bounded number of messages.
  void count() noexcept { ++sends_since_progress_; }
  bool must_look() const noexcept {
    constexpr unsigned sends_per_look = 64;
    return sends_since_progress_ >= sends_per_look;
  }
  /// Like count(), for a piece of a message that waited.
  void count_piece() noexcept {
    count();
    fruitless_flushes_ = 0;
  }
  /// A round of progress begins.
  void looks() noexcept { sends_since_progress_ = 0; }

  /// Starts a send: it goes as far as the transport has room.
  void begin(SendRequest& send) noexcept;
  /// What the transport notifies when parts of this message have left. Throws std::bad_alloc.
  InFlight& in_flight(SendRequest& send);
  /// Has the send go on after the sends that wait at its peer, in a later round of progress.
  void enqueue(SendRequest& send) noexcept;
  /// Has these sends go on before the sends that wait at the peer.
  void put_first(Peer& peer, List<SendRequest>& sends) noexcept;
  /// Sends the messages that wait for a peer, in order, until there is no room or must_look() requires progress.
  void flush(Peer& peer) noexcept;
  void flush_waiting() noexcept;
  /// Whether messages wait for room in the transport to a peer. No wake-up announces that room.
  bool waits_for_room() const noexcept { return !waiting_peers_.empty(); }
  /// Whether every pending send waits only for its receiver's answer, and no message waits for room in the transport.
  bool handed_over() const noexcept;

  /// Sends a small message of a protocol. If the transport has no room, a copy of the message waits at the peer; if
  /// there is no memory for the copy, the connection is closed.
  void send_control(Peer& peer, transport::Header header, std::span<const std::byte> prefix,
                    std::span<const std::byte> body = {}) noexcept;
  /// Copies a small message of a protocol, which then waits for room. Throws std::bad_alloc.
  void queue_control(Peer& peer, transport::Header header, std::span<const std::byte> prefix,
                     std::span<const std::byte> body);
  /// Drops the controls that wait at this peer.
  void drop_controls(Peer& peer) noexcept;

  /// Moves the sends to this peer that `accepts` holds of to `into`, as far as they wait here: for room, for the
  /// receiver's answer, or until it resumes their context. The transport goes on with pieces that it already has.
  template <class Accepts>
  static void take_sends(Peer& peer, Accepts accepts, List<SendRequest>& into) {
    const auto take = [&](List<SendRequest>& sends) {
      List<SendRequest> all;
      all.append(sends);
      while (!all.empty()) {
        SendRequest& send = all.pop_front();
        (accepts(send) ? into : sends).push_back(send);
      }
    };
    take(peer.unanswered);
    for (const auto& context : peer.paused_contexts) take(context->sends);
    take(peer.sends);
    peer.forget_if_idle();
  }
  /// Everything of the message was handed to the transport, or the rest will not be sent. Completes the send if no
  /// piece is in flight.
  void end(SendRequest& send) noexcept;
  /// Moves the send to the list of those that continue when the peer answers.
  static void await_answer(SendRequest& send, SendRequest::Stage stage) noexcept;

 private:
  // eager.cpp
  bool advance(SendRequest& send);
  bool push_eager(SendRequest& send);
  bool post_eager(SendRequest& send, const IovList& iov);
  void end_eager(SendRequest& send, transport::Post sent) noexcept;

  bool advance_or_fail(SendRequest& send) noexcept;

  Engine& engine_;
  List<Peer> waiting_peers_;  ///< peers with messages that wait for room in the transport
  Pool<Control> controls_;
  unsigned sends_since_progress_ = 0;  ///< including pieces of long messages
  unsigned fruitless_flushes_ = 0;     ///< since a waiting message was last sent
};

}  // namespace bowline::proto
