// SPDX-License-Identifier: BSD-3-Clause
// Connection: everything between this process and one peer: the link, the outbox, and the proof that what was sent has
// arrived. The device owns it, because a peer may connect before this process has an endpoint to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "transport/transport.hpp"
#include "verbs/connection/arrival_proof.hpp"
#include "verbs/connection/outbox.hpp"
#include "verbs/connection/peer_link.hpp"
#include "verbs/connection/verbs_wire.hpp"
#include "verbs/verbs_address.hpp"

namespace bowline::verbs {

class ReceiveGroup;
class VerbsDevice;

class Connection {
 public:
  /// `number`: the device's number for the connection. Throws Error.
  Connection(VerbsDevice& device, int peer, std::uint32_t number);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int peer() const noexcept { return peer_; }
  /// The device's number for the connection.
  std::uint32_t number() const noexcept { return number_; }
  const std::string& host() const noexcept { return address_.host; }
  const DeviceAddress& address() const noexcept { return address_; }
  void set_address(DeviceAddress address) { address_ = std::move(address); }

  /// The group through which the peer's messages arrive.
  ReceiveGroup& group() noexcept { return group_; }
  const PeerLink& link() const noexcept { return link_; }
  Outbox& outbox() noexcept { return outbox_; }

  // ---- connecting

  /// What the peer must know. Makes a queue pair if there is none. Throws Error.
  Handshake handshake();
  /// Connects to the queue pair of the peer. Throws Error.
  void connect(const Handshake& theirs);
  /// The exchange is over: the peer can receive, too, unless the connection manager has to say that.
  void handshake_done() noexcept;
  /// The connection manager has connected the queue pair so far that it receives.
  void can_receive() noexcept { link_.can_receive(); }
  /// The connection manager has connected both queue pairs, and the peer waits for a message.
  void can_send_first() noexcept;
  /// Notes that the peer is asked now whether it still waits for the connection manager.
  void note_inquiry(PeerLink::Clock::time_point now) noexcept { link_.set_joining_since(now); }
  /// Ends the use of the queue pair; messages that it has received can still be found in the completion queue.
  void stop() noexcept { link_.stop(); }
  /// Destroys the queue pair and begins that epoch. Operations that are under way stay so.
  void begin_epoch(std::uint32_t epoch) noexcept { link_.begin_epoch(epoch); }

  // ---- events, from the device's poll()

  /// `work` and all requests before it have completed; on iWARP, except reads.
  void completed(SendWork& work) noexcept {
    link_.note_answer();
    outbox_.completed(work);
  }
  /// The queue pair is in its error state. `may_pass`: the reason may be a link that comes back.
  void broke(std::string why, bool may_pass) noexcept;
  /// A request has failed.
  void failed(const SendWork& work, ibv_wc_status status) noexcept;
  /// A message has come. Returns whether it is the next one for the sink; a message that has come through an earlier
  /// queue pair is not. Throws Error if the message is wrong.
  bool arrived(const WireHeader& header);
  /// The sink has taken a message.
  void taken() noexcept {
    if (outbox_.credits().taken()) outbox_.schedule_credits();
  }
  /// The peer has said bye, and nothing of it waits for the sink any more.
  void set_left() noexcept;

  /// Ends the connection. Operations that are under way end with the next end_all().
  void lose(std::string why) noexcept;
  /// Ends everything that is under way with an error.
  void end_all() noexcept;
  /// Text that follows the peer's name in sentences.
  std::string loss() const;
  /// The error of operations with this peer when it is lost (MPIX_ERR_PROC_FAILED).
  Error error() const;
  /// The error of an atomic operation that was under way when the link failed.
  Error uncertain_atomic() const;

 private:
  void set_ready() noexcept;

  VerbsDevice& device_;
  ReceiveGroup& group_;
  int peer_;
  std::uint32_t number_;
  std::uint32_t received_ = 0;  ///< messages
  PeerLink link_;
  ArrivalProof arrival_;
  Outbox outbox_;
  DeviceAddress address_;
};

}  // namespace bowline::verbs
