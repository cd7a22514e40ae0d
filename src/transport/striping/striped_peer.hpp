// SPDX-License-Identifier: BSD-3-Clause
// StripedPeer: the rails to one peer. The device owns it, because transfers may outlive an endpoint.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::transport {

class StripedPeer {
 public:
  explicit StripedPeer(int peer) noexcept : peer_(peer) {}

  /// The endpoint of the first rail.
  void set_first(std::unique_ptr<Endpoint> first) noexcept { first_ = std::move(first); }

  /// Adds the next further rail, by which the peer is reached at `address`. nullptr: the peer is not reached by that
  /// rail.
  void add(Device* rail, Address address) { further_.push_back({rail, std::move(address), nullptr, rail == nullptr}); }

  int peer() const noexcept { return peer_; }
  Endpoint& first() const noexcept { return *first_; }
  /// Number of rails, including the first one.
  std::size_t rails() const noexcept { return 1 + further_.size(); }

  /// The endpoint of a rail that may serve this peer, now or soon; begins to connect if the endpoint is not connected
  /// yet. nullptr if there is none. Further rails count from 1.
  Endpoint* approach(std::size_t rail) noexcept;
  /// The endpoint of a rail over which a transfer can begin at once; else nullptr, but begins to connect.
  Endpoint* connected(std::size_t rail) noexcept;
  /// The endpoint of a rail to which this process has begun to connect, also if that rail has failed; else nullptr.
  Endpoint* known(std::size_t rail) const noexcept;
  /// Declares a further rail failed: it serves this peer no more. Warns once in the process.
  void fail_rail(std::size_t rail, const std::string& why) noexcept;

 private:
  struct Further {
    Device* device;
    Address address;
    std::unique_ptr<Endpoint> endpoint;
    bool failed;
  };

  int peer_;
  std::unique_ptr<Endpoint> first_;
  std::vector<Further> further_;
};

}  // namespace bowline::transport
