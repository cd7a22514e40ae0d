// SPDX-License-Identifier: BSD-3-Clause
// Long messages: the sender announces a message, and the receiver has the data transferred by the protocol that suits
// its endpoint best. A send completes when `finished` arrives, or when its last byte has been handed to the transport.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "proto/matching/match.hpp"
#include "proto/paths/path_chooser.hpp"
#include "proto/protocols/protocol.hpp"
#include "proto/request.hpp"
#include "proto/services/service.hpp"

namespace bowline::proto {

class Rendezvous final : public Service {
 public:
  explicit Rendezvous(Engine& engine) noexcept : Service(engine, message_kinds()) {}

  /// The choice of the path of long messages from this node.
  PathChooser& paths() noexcept { return paths_; }

  // ---- the sender

  /// Announces the message; false if the transport has no room. Throws std::bad_alloc.
  bool announce(SendRequest& send);
  /// Sends pieces of the message; false if there is no room for the rest.
  bool stream(SendRequest& send);
  /// The put into the receiver's memory has ended; `written`: successfully. Sends `placed` to the receiver.
  void put_ended(SendRequest& send, bool written) noexcept;

  // ---- the receiver

  /// Starts the transfer of an announced message. An error fails the receive, because the message has been removed from
  /// the queues. It also completes the send, which would otherwise never complete.
  void accept_offer(ReceiveRequest& receive, int origin, transport::Header header, const ReadyToSend& offer,
                    std::span<const std::byte> key) noexcept;
  /// Gives the receive an id, by which this peer may refer to it from now on. Throws std::bad_alloc.
  void expect(ReceiveRequest& receive, Peer& sender);
  /// Ends a receive whose announced message is in place or has failed: sends `finished` to the sender and completes the
  /// receive.
  void fetched(ReceiveRequest& receive, Peer& peer, transport::Header header, std::uint64_t send_id) noexcept;
  /// Requests an announced message in pieces, because no access to memory transfers it. `send_id`: as in the offer.
  void request_pieces(ReceiveRequest& receive, Peer& sender, transport::Header header, std::uint64_t send_id) noexcept;
  /// Fails a receive that an announced message was filling.
  void fail_filled(ReceiveRequest& receive, Peer& sender, const Failure& why) noexcept;

 private:
  static std::span<const MessageKind> message_kinds() noexcept;
  void offer_arrived(const Arrival& message);
  void finished_arrived(const Arrival& message);
  void clear_to_send_arrived(const Arrival& message);
  void clear_to_put_arrived(const Arrival& message);
  void clear_to_share_arrived(const Arrival& message);
  void data_arrived(const Arrival& message);
  void placed_arrived(const Arrival& message);

  // rendezvous_send.cpp
  static void register_memory(SendRequest& send);
  static std::span<const std::byte> next_piece(SendRequest& send, std::size_t length);
  transport::Post send_piece(SendRequest& send);
  // rendezvous_put.cpp
  static bool can_put_blocks(const SendRequest& send) noexcept;

  // rendezvous_receive.cpp
  bool begin_by(const RendezvousProtocol& protocol, ReceiveRequest& receive,
                const RendezvousProtocol::Offered& message);
  void expect_no_more(ReceiveRequest& receive) noexcept;
  void received(ReceiveRequest& receive) noexcept;

  // rendezvous_measured.cpp
  void begin_in(Path path, ReceiveRequest& receive, const RendezvousProtocol::Offered& message);
  void begin_measured(ReceiveRequest& receive, const RendezvousProtocol::Offered& message);
  Path read_part(ReceiveRequest& receive, const RendezvousProtocol::Offered& message, const PathChooser::Begin& begin);
  void begin_rest(ReceiveRequest& receive) noexcept;

  PathChooser paths_;
};

}  // namespace bowline::proto
