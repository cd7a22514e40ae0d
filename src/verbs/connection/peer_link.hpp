// SPDX-License-Identifier: BSD-3-Clause
// PeerLink: the queue pair to one peer, and how far it is connected. A link may fail and come back. Then both sides
// make new queue pairs, in the next epoch.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "verbs/connection/queue_pair.hpp"

namespace bowline::verbs {

class PeerLink {
 public:
  using Clock = std::chrono::steady_clock;

  enum class State : std::uint8_t {
    apart,    ///< the peer's queue pair is not known, or not any more: the link has failed
    joining,  ///< both sides have told of their queue pairs, which the connection manager connects
    known,    ///< this process can receive; whether the peer can is not known
    ready,    ///< both sides can receive
    left,     ///< the peer has ended properly
    lost,
  };

  State state() const noexcept { return state_; }
  bool is_ready() const noexcept { return state_ == State::ready; }
  /// Or is being connected by the connection manager.
  bool is_connected() const noexcept {
    return state_ == State::joining || state_ == State::known || state_ == State::ready;
  }
  bool is_over() const noexcept { return state_ == State::lost || state_ == State::left; }
  std::uint32_t epoch() const noexcept { return epoch_; }

  // ---- the queue pair

  bool has_pair() const noexcept { return pair_ != nullptr; }
  /// Number of the queue pair; 0 if there is none.
  std::uint32_t pair_number() const noexcept { return pair_number_; }
  /// Takes the queue pair of this epoch.
  void adopt(std::unique_ptr<QueuePair> pair) noexcept;
  /// Destroys the queue pair: from now on the adapter uses none of the memory of requests.
  void drop_pair() noexcept;
  /// Hands a request, or several that are linked, to the adapter. Returns an errno.
  int post(ibv_send_wr& request) const noexcept { return pair_->post(request); }

  // ---- connecting

  /// Writes what the peer must know of the queue pair, which must exist.
  void describe(Handshake& handshake) const noexcept;
  /// Connects the queue pair, of a link that is apart, to the peer's. Throws Error.
  void connect(const Handshake& theirs);
  /// Whether this queue pair is connected to the one of the handshake.
  bool is_with(const Handshake& theirs) const noexcept { return is_connected() && theirs.queue_pair == their_pair_; }
  /// The connection manager has connected the queue pair so far that it receives.
  void can_receive() noexcept;
  /// The connection manager has connected both queue pairs. False if the link has failed in the meantime.
  bool can_send_first() noexcept;
  /// Whether this side may send when the handshake is over.
  bool sends_after_handshake() const noexcept { return state_ == State::known && pair_->sends_after_handshake(); }
  /// The peer can receive. Returns whether that is new.
  bool become_ready() noexcept;
  /// When the connection manager began, or when the peer was last asked whether it, too, still waits for the connection
  /// manager.
  Clock::time_point joining_since() const noexcept { return joining_since_; }
  void set_joining_since(Clock::time_point when) noexcept { joining_since_ = when; }

  // ---- failing

  /// The peer has acknowledged something.
  void note_answer() noexcept { failing_ = false; }
  /// A link that is connected has failed. Returns whether it fails for longer than `patience`.
  bool note_failure(Clock::time_point now, std::chrono::seconds patience) noexcept;
  /// The link, which is connected, is to be made again.
  void cut(std::string why) noexcept;
  /// Ends the use of the queue pair; messages that it has received can still be found in the completion queue.
  void stop() noexcept;
  /// Destroys the queue pair and begins that epoch.
  void begin_epoch(std::uint32_t epoch) noexcept;
  /// The peer has ended properly. False if it was lost before.
  bool leave() noexcept;
  /// The peer is lost. False if it was lost already, or has ended.
  bool lose(std::string why) noexcept;
  /// By what the link has failed last.
  const std::string& why() const noexcept { return why_; }

 private:
  State state_ = State::apart;
  bool failing_ = false;       ///< nothing was acknowledged since first_failure_
  unsigned failed_joins_ = 0;  ///< attempts of the connection manager in a row
  std::unique_ptr<QueuePair> pair_;
  std::uint32_t pair_number_ = 0;
  std::uint32_t their_pair_ = 0;
  std::uint32_t epoch_ = 0;
  Clock::time_point first_failure_{};
  Clock::time_point joining_since_{};
  std::string why_;
};

}  // namespace bowline::verbs
