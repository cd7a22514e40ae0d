// SPDX-License-Identifier: BSD-3-Clause
// ConnectionManager: connects queue pairs through librdmacm, where the fabric needs that (iWARP, InfiniBand between
// subnets) or its administrator demands it.
//
// Peers first exchange handshakes as always. Then the peer with the lower cookie asks for a connection, and the other
// peer accepts it, once it knows the handshake too:
//
//   asks                                      listens
//     finds address and route, makes its queue pair
//     ConnectRequest  ------------------------->  makes its queue pair, can receive
//     can receive and send  <-----------------  accepts
//     first message  ------------------------>  can send
//
// The side that has asked sends first, because iWARP demands that (RFC 5044, 7.1.2): the other side may not send before
// it has received something. The same order serves all fabrics.
#pragma once

#include <cstdint>
#include <memory>

#include "verbs/connection/queue_pair.hpp"
#include "verbs/socket_address.hpp"

namespace bowline::verbs {

class Connection;

class ConnectionManager {
 public:
  virtual ~ConnectionManager() = default;
  /// Becomes readable when progress() has something to do.
  virtual int descriptor() const noexcept = 0;
  /// Where the connection manager listens.
  virtual const SocketAddress& place() const noexcept = 0;
  /// The queue pair of the connection's present epoch; see attributes_for_pair(). Throws Error.
  virtual std::unique_ptr<QueuePair> make_pair(Connection& connection, ibv_cq* completions, ibv_srq* receives) = 0;
  /// Does what can be done without waiting.
  virtual void progress() noexcept = 0;
};

/// `cookie`: what the device has published; other processes' requests are rejected. The adapter, whose port must not be
/// Connecting::direct, must outlive the result. Throws Error.
std::unique_ptr<ConnectionManager> make_connection_manager(Adapter& adapter, std::uint64_t cookie);

}  // namespace bowline::verbs
