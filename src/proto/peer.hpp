// SPDX-License-Identifier: BSD-3-Clause
// Peers: the processes this one talks to, made at first contact.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "base/list.hpp"
#include "proto/request.hpp"
#include "proto/wire.hpp"
#include "transport/transport.hpp"

namespace bowline::proto {

/// A small message of a protocol that found no room.
struct Control final : ListNode {
  transport::Header header;
  std::array<std::byte, max_prefix> prefix;
  std::size_t prefix_bytes = 0;
};

/// The process with one world rank. Everything waiting here is sent before anything new: that keeps MPI's order.
class Peer final : public ListNode {
 public:
  Peer(int rank_, std::unique_ptr<transport::Endpoint> endpoint_, std::size_t eager_limit_)
      : rank(rank_), endpoint(std::move(endpoint_)), eager_limit(eager_limit_) {}

  bool waiting() const noexcept { return linked(); }

  int rank;
  std::unique_ptr<transport::Endpoint> endpoint;
  std::size_t eager_limit;  ///< longest message sent without asking, in bytes
  List<Control> controls;   ///< overtake sends: they belong to messages that have already been matched
  List<SendRequest> sends;
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

 private:
  static constexpr std::size_t block_size = 64;
  using Block = std::array<std::unique_ptr<Peer>, block_size>;

  Peer& first_contact(int rank);

  Connect connect_;
  std::vector<std::unique_ptr<Block>> blocks_;
};

}  // namespace bowline::proto
