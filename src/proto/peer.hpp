// SPDX-License-Identifier: BSD-3-Clause
// Peers: the processes to which this one is connected. A peer is made at connection establishment.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/list.hpp"
#include "proto/events/engine_events.hpp"
#include "proto/paths/path_chooser.hpp"
#include "proto/protocols/plan.hpp"
#include "proto/request.hpp"
#include "proto/wire.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

/// What a process says when it ends its communication. `of_program`: the program has called MPI_Finalize; sessions may
/// follow. `of_process`: the process is about to end.
enum class Farewell : std::uint8_t { none, of_program, of_process };

/// An endpoint to which nothing can be sent. `left`: to a peer that is known to have left; it takes and drops messages
/// that need no answer, as if they had arrived and nobody received them. Otherwise the peer is lost; `loss` says how,
/// as in "cannot be reached any more", if that is known.
std::unique_ptr<transport::Endpoint> make_no_endpoint(bool left, std::string loss = {});

/// A small message of a protocol that waits for room in the transport.
struct Control final : ListNode {
  transport::Header header;
  std::array<std::byte, max_prefix> prefix;
  std::size_t prefix_bytes = 0;
  std::vector<std::byte> body;
};

/// A context that the peer has ordered to pause, and the sends that wait until it resumes.
struct PausedContext {
  explicit PausedContext(std::uint32_t context_) noexcept : context(context_) {}
  std::uint32_t context;
  std::uint64_t allowance = 0;  ///< messages that may be announced despite the pause
  List<SendRequest> sends;
};

/// The process with one world rank. `controls` and `sends` are sent before new messages, which preserves MPI's order.
class Peer final : public ListNode {
 public:
  Peer(int rank_, std::unique_ptr<transport::Endpoint> endpoint_)
      : rank(rank_), endpoint(std::move(endpoint_)), plan(make_plan(endpoint->limits())) {
    announce_all(false);
  }

  bool waiting() const noexcept { return linked(); }
  /// Whether a message of this length is sent eagerly.
  bool eager(std::size_t bytes) const noexcept { return bytes < eager_below; }
  /// Whether a message of this length is sent eagerly and the transport copies it in the call that sends it.
  bool eager_copied(std::size_t bytes) const noexcept { return bytes < copied_below(); }
  /// Whether a message of this length may be sent without a request: if it is eager_copied(), and nobody listens.
  bool goes_straight(std::size_t bytes) const noexcept { return bytes < straight_below; }
  void announce_all(bool all) noexcept {
    eager_below = all ? 0 : plan.eager_limit + 1;
    choose_ways();
  }
  /// To be called when somebody begins to listen to messages, or ends it.
  void choose_ways() noexcept { straight_below = message_events.heard() ? 0 : copied_below(); }
  /// Ends the wait for room if no message waits.
  void forget_if_idle() noexcept {
    if (waiting() && controls.empty() && sends.empty()) List<Peer>::remove(*this);
  }
  /// This context if it is paused, else nullptr.
  PausedContext* paused(std::uint32_t context) noexcept;

  /// Ends the connection: nothing is sent to the peer any more, and all that arrives from it is dropped.
  void break_off(const Failure& why) noexcept {
    broken = why;
    eager_below = straight_below = 0;
  }
  /// Whether the peer has ended, cannot be reached any more, or its connection was closed because of an error.
  bool lost() const noexcept { return broken != nullptr || endpoint->lost(); }
  /// Whether the peer has ended its communication properly (MPI_Finalize).
  bool has_left() const noexcept { return broken == nullptr && (said != Farewell::none || endpoint->left()); }
  /// Whether the peer has left for good: no session of its process will communicate either.
  bool exits() const noexcept {
    return has_left() && (said == Farewell::of_process || endpoint->lost() || (endpoint->left() && endpoint->exits()));
  }

  int rank;
  bool failed = false;  ///< operations that waited for this peer have failed; its later messages about them are dropped
  Farewell said = Farewell::none;  ///< the last word of its good_byes
  bool asked_for_end = false;      ///< tell_end was sent to this peer
  Farewell told = Farewell::none;  ///< what the latest good_bye to this peer has said
  Failure broken;                  ///< why this process closed the connection; nullptr while it is open
  std::size_t eager_below;         ///< length from which on messages are announced
  std::unique_ptr<transport::Endpoint> endpoint;
  Plan plan;
  List<Control> controls;  ///< controls overtake `sends`: they are about messages that are matched already
  List<SendRequest> sends;
  List<SendRequest> unanswered;               ///< sends that continue when the peer answers
  List<ReceiveRequest, PostedKey> receiving;  ///< receives that its announced messages are filling
  std::vector<std::unique_ptr<PausedContext>> paused_contexts;
  std::unique_ptr<PeerPaths> paths;  ///< made by the first long message from this peer, if paths are measured
  std::size_t straight_below;        ///< length from which on messages need a request

 private:
  /// The length from which on messages are posted or announced.
  std::size_t copied_below() const noexcept {
    return std::min(eager_below, endpoint->limits().max_body - sizeof(SendId) + 1);
  }
};

/// World rank -> Peer. Memory is allocated only for blocks of ranks that contain a peer.
class PeerTable {
 public:
  using Connect = std::function<std::unique_ptr<Peer>(int rank)>;

  PeerTable(int size, Connect connect);

  Peer& operator[](int rank) {
    const auto& block = blocks_[static_cast<std::size_t>(rank) / block_size];
    if (block != nullptr) [[likely]] {
      Peer* peer = (*block)[static_cast<std::size_t>(rank) % block_size].get();
      if (peer != nullptr) [[likely]]
        return *peer;
    }
    return first_contact(rank);
  }

  int size() const noexcept { return size_; }
  void grow_to(int size);
  /// The peer with this rank; nullptr if it is not connected.
  Peer* known(int rank) const noexcept {
    const auto& block = blocks_[static_cast<std::size_t>(rank) / block_size];
    return block == nullptr ? nullptr : (*block)[static_cast<std::size_t>(rank) % block_size].get();
  }

  /// Closes the connection; the next use of the process connects again.
  void forget(int rank) noexcept;
  /// Enters a peer that cannot be reached, without connecting to it. `left`: it is known to have ended properly. Throws
  /// std::bad_alloc.
  Peer& enter_unreachable(int rank, bool left = false);

  /// Calls `action` with every peer.
  template <class Action>
  void for_each(Action action) {
    for (const auto& block : blocks_) {
      if (block == nullptr) continue;
      for (const auto& peer : *block) {
        if (peer != nullptr) action(*peer);
      }
    }
  }

 private:
  static constexpr std::size_t block_size = 64;
  using Block = std::array<std::unique_ptr<Peer>, block_size>;

  Peer& first_contact(int rank);
  std::unique_ptr<Peer>& place_of(int rank);

  int size_;
  Connect connect_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace bowline::proto
