// SPDX-License-Identifier: BSD-3-Clause
// Connection: everything between this process and one peer: the queue pair, credits, requests under way, and accesses
// that wait for room. The device owns it, because a peer may connect before this process has an endpoint to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/list.hpp"
#include "transport/transport.hpp"
#include "verbs/connection/arrival_proof.hpp"
#include "verbs/connection/credits.hpp"
#include "verbs/connection/queue_pair.hpp"
#include "verbs/connection/verbs_wire.hpp"
#include "verbs/send_work.hpp"
#include "verbs/verbs_address.hpp"

namespace bowline::verbs {

class VerbsDevice;

/// An access to a peer's memory that has not been posted as a whole.
class Waiting : public ListNode {
 public:
  /// Queues as much as there is room for; true if that was the rest. Then it must not be called again. Must not notify
  /// anybody.
  virtual bool advance() noexcept = 0;
  /// Nothing more can be posted. Everything that was posted has ended.
  virtual void give_up(const Error& why) noexcept = 0;

 protected:
  ~Waiting() = default;
};

class Connection {
 public:
  enum class State : std::uint8_t {
    apart,    ///< the peer's queue pair is not known, or not any more: the link has failed
    joining,  ///< both have told of their queue pairs, which the connection manager connects
    known,    ///< this process can receive; whether the peer can is not known
    ready,    ///< both can receive
    left,     ///< the peer has ended properly
    lost,
  };

  /// `number`: the device's number for it.
  Connection(VerbsDevice& device, int peer, std::uint32_t number);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  int peer() const noexcept { return peer_; }
  /// The device's number for it.
  std::uint32_t number() const noexcept { return number_; }
  State state() const noexcept { return state_; }
  /// Or is being connected by the connection manager.
  bool is_connected() const noexcept {
    return state_ == State::joining || state_ == State::known || state_ == State::ready;
  }
  bool is_over() const noexcept { return state_ == State::lost || state_ == State::left; }
  /// Number of its queue pair; 0 if there is none.
  std::uint32_t pair_number() const noexcept { return pair_number_; }
  const std::string& host() const noexcept { return address_.host; }
  const DeviceAddress& address() const noexcept { return address_; }
  void set_address(DeviceAddress address) { address_ = std::move(address); }

  // ---- connecting

  /// What the peer must know. Makes a queue pair if there is none. Throws Error.
  Hello hello();
  /// Connects to the queue pair of the peer. Throws Error.
  void connect(const Hello& theirs);
  /// Whether it is connected to that queue pair.
  bool is_with(const Hello& theirs) const noexcept { return is_connected() && theirs.queue_pair == their_pair_; }
  /// The greeting is over: the peer can receive, too, unless the connection manager has to say that.
  void greeted() noexcept;
  /// The connection manager has connected the queue pair so far that it receives.
  void can_receive() noexcept;
  /// When the connection manager began, or the peer was last asked whether it still waits for it, too.
  std::chrono::steady_clock::time_point joining_since() const noexcept { return joining_since_; }
  void set_joining_since(std::chrono::steady_clock::time_point when) noexcept { joining_since_ = when; }
  /// The connection manager has connected both queue pairs, and the peer waits for a message.
  void can_send_first() noexcept;

  // A link may fail and come back. Then both sides make new queue pairs, in the next epoch.

  std::uint32_t epoch() const noexcept { return epoch_; }
  /// Ends the use of the queue pair; what it has received can still be found in the completion queue.
  void stop() noexcept;
  /// Destroys the queue pair and begins that epoch. What is under way stays so.
  void begin_epoch(std::uint32_t epoch) noexcept;

  // ---- sending

  transport::Post send(transport::Header header, std::span<const std::byte> prefix,
                       std::span<const std::byte> body) noexcept;
  /// Posts it now if nothing waits, else when everything before it is posted.
  void begin(Waiting& access) noexcept;
  /// Whether there is room for a request that is part of an access.
  bool has_room() const noexcept { return state_ == State::ready && in_flight_count_ < send_depth - kept_for_messages; }
  /// Takes a request of an access, only if there is room. The adapter gets it together with those that follow in the
  /// same call of advance(), so that it is told once of all.
  void queue(SendWork& work) noexcept;
  /// See ArrivalProof::make().
  bool make_proof(SendWork& work) noexcept;
  bool waits() const noexcept { return !waiting_.empty(); }
  /// Posts what waits, as far as there is room.
  void pump() noexcept;
  /// Posts what waits. The device calls it once after each note_room().
  void use_room() noexcept;
  bool is_idle() const noexcept { return in_flight_count_ == 0 && waiting_.empty() && arrival_.is_complete(); }
  /// Makes sure that the completion of the last request will be reported. Call repeatedly.
  void hasten() noexcept;
  /// Makes the device call pay() soon.
  void owe() noexcept;
  /// Tells the peer of its credits, as far as that is necessary; false if there is no room now.
  bool pay() noexcept;
  /// Says that this process ends; false if there is no room now.
  bool say_bye() noexcept;

  // ---- events, from the device's poll()

  /// The request, and all before it, have completed; on iWARP but for reads.
  void completed(SendWork& work) noexcept;
  /// The queue pair is in its error state. `may_pass`: the reason may be a link that comes back.
  void broke(std::string why, bool may_pass) noexcept;
  /// A request has failed.
  void failed(const SendWork& work, ibv_wc_status status) noexcept;
  /// A message has come. Returns whether it is the next one for the sink; one that has come through an earlier queue
  /// pair is not. Throws Error if it is wrong.
  bool arrived(const WireHeader& header);
  /// The sink has taken a message.
  void taken() noexcept;
  /// The peer has said bye, and nothing of it waits for the sink any more.
  void set_left() noexcept;

  /// Ends the connection. What is under way ends with the next end_all().
  void lose(std::string why) noexcept;
  /// Ends everything that is under way with an error.
  void end_all() noexcept;
  /// Text that follows the peer's name in sentences.
  std::string loss() const;
  /// The error of operations with this peer when it is lost (MPI_ERR_PROC_ABORTED).
  Error error() const;

 private:
  /// Requests of the send queue that accesses leave to messages; the last ones of these are for credits and the bye.
  static constexpr unsigned kept_for_messages = 16;
  static constexpr unsigned kept_for_ourselves = 2;

  SendWork* prepare(WireKind kind, transport::Header header, std::span<const std::byte> prefix,
                    std::span<const std::byte> body) noexcept;
  bool send_own(WireKind kind) noexcept;
  void post(SendWork& work) noexcept;
  void flush_queue() noexcept;
  void set_ready() noexcept;
  void finish(SendWork& done) noexcept;
  void completed_out_of_order(SendWork& work) noexcept;
  bool may_be_lost(const Hello& theirs) noexcept;
  bool ends_proven() noexcept;
  void replay() noexcept;

  VerbsDevice& device_;
  int peer_;
  std::uint32_t number_;
  State state_ = State::apart;
  std::unique_ptr<QueuePair> pair_;
  std::uint32_t pair_number_ = 0;
  std::uint32_t their_link_ = 0;
  std::uint32_t their_pair_ = 0;

  std::uint32_t epoch_ = 0;
  std::uint32_t their_received_ = 0;  ///< messages, when the present epoch began
  std::chrono::steady_clock::time_point first_break_{};
  std::chrono::steady_clock::time_point joining_since_{};
  bool failing_ = false;       ///< nothing was acknowledged since first_break_
  unsigned failed_joins_ = 0;  ///< attempts of the connection manager in a row

  std::uint32_t sent_ = 0;      ///< messages
  std::uint32_t allowed_ = 0;   ///< messages, in all
  std::uint32_t received_ = 0;  ///< messages
  Grant grant_;
  bool admitted_ = false;
  bool owes_ = false;          ///< the device will call pay()
  bool owes_message_ = false;  ///< the peer waits for one before it sends
  bool noted_room_ = false;    ///< the device will call use_room()

  List<SendWork> in_flight_;  ///< requests, oldest first
  unsigned in_flight_count_ = 0;
  ArrivalProof arrival_;
  unsigned unsignalled_ = 0;          ///< the last requests, whose completion is not reported
  SendWork* first_queued_ = nullptr;  ///< of those that the adapter has not got yet, which are linked
  SendWork* last_queued_ = nullptr;
  List<Waiting> waiting_;

  DeviceAddress address_;
  std::string why_lost_;
};

}  // namespace bowline::verbs
