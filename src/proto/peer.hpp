// SPDX-License-Identifier: BSD-3-Clause
// Peers: the processes this one talks to, made at first contact.
#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "base/list.hpp"
#include "proto/protocols/plan.hpp"
#include "proto/request.hpp"
#include "proto/wire.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

/// A small message of a protocol that found no room.
struct Control final : ListNode {
  transport::Header header;
  std::array<std::byte, max_prefix> prefix;
  std::size_t prefix_bytes = 0;
  std::vector<std::byte> body;
};

/// A context in which the peer wants to hear of no more messages for now, and the sends that wait for that.
struct HeldContext {
  explicit HeldContext(std::uint32_t context_) noexcept : context(context_) {}
  std::uint32_t context;
  std::uint64_t allowance = 0;  ///< messages that may be announced all the same
  List<SendRequest> sends;
};

/// The process with one world rank. What waits in `controls` and `sends` goes out before anything new: that keeps MPI's
/// order.
class Peer final : public ListNode {
 public:
  Peer(int rank_, std::unique_ptr<transport::Endpoint> endpoint_)
      : rank(rank_), endpoint(std::move(endpoint_)), plan(make_plan(endpoint->limits())) {
    announce_all(false);
  }

  bool waiting() const noexcept { return linked(); }
  /// Whether a message of this length is sent without asking.
  bool eager(std::size_t bytes) const noexcept { return bytes < eager_below; }
  /// Whether it is, and the transport copies it in the call that sends it.
  bool eager_copied(std::size_t bytes) const noexcept { return bytes < copied_below; }
  void announce_all(bool all) noexcept {
    eager_below = all ? 0 : plan.eager_limit + 1;
    copied_below = std::min(eager_below, endpoint->limits().max_body - sizeof(SendId) + 1);
  }
  /// The sends that wait until this context is no longer held; nullptr if it is not held.
  HeldContext* held(std::uint32_t context) noexcept;

  /// Nothing is sent to the peer any more, and nothing of what it sends is heard.
  void break_off(const Failure& why) noexcept {
    broken = why;
    eager_below = copied_below = 0;
  }
  /// Whether it has ended or cannot be reached any more, or its connection was broken off.
  bool lost() const noexcept { return broken != nullptr || endpoint->lost(); }
  /// Whether it has ended its communication as it should.
  bool has_left() const noexcept { return broken == nullptr && (said_good_bye || endpoint->left()); }

  int rank;
  bool given_up = false;       ///< what waited for it has failed: what it still says of that is not heard
  bool said_good_bye = false;  ///< by a message
  bool asked_for_end = false;  ///< it will say good-bye to this process
  bool told_good_bye = false;  ///< this process has said good-bye to it
  Failure broken;              ///< why this process has broken the connection off
  std::size_t eager_below;     ///< length from which on messages are announced
  std::unique_ptr<transport::Endpoint> endpoint;
  Plan plan;
  List<Control> controls;  ///< overtake sends: they belong to messages that have already been matched
  List<SendRequest> sends;
  List<SendRequest> unanswered;               ///< the peer knows of them, and says when or how they go on
  List<ReceiveRequest, PostedKey> receiving;  ///< of long messages that it has announced, and whose data come
  std::vector<std::unique_ptr<HeldContext>> holds;
  std::size_t copied_below;  ///< length from which on messages are announced, or else posted
};

/// World rank -> Peer. Costs memory only for blocks of ranks in which someone was talked to.
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
  /// nullptr if it was not talked to.
  Peer* known(int rank) const noexcept {
    const auto& block = blocks_[static_cast<std::size_t>(rank) / block_size];
    return block == nullptr ? nullptr : (*block)[static_cast<std::size_t>(rank) % block_size].get();
  }

  /// Instead of first contact: enters a peer that cannot be reached. `left`: it has ended as it should, as far as is
  /// known. Throws std::bad_alloc.
  Peer& enter_unreachable(int rank, bool left = false);

  /// Calls `action` with every peer that was talked to.
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

  const int size_;
  Connect connect_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace bowline::proto
