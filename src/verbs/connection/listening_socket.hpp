// SPDX-License-Identifier: BSD-3-Clause
// Sockets for the out-of-band exchange: a listening one, and connections that never wait.
#pragma once

#include <cstdint>
#include <vector>

#include "node/descriptor.hpp"
#include "verbs/socket_address.hpp"
#include "verbs/verbs_port.hpp"

namespace bowline::verbs {

using node::Descriptor;

/// A socket that listens on all addresses of this host, at a port that the kernel chooses.
class ListeningSocket {
 public:
  /// Throws Error.
  ListeningSocket();
  int descriptor() const noexcept { return socket_.number(); }
  /// Where processes of other hosts, and of this host, reach the socket. `ports`: the address of a RoCE port is the
  /// address of an interface that leads to the same fabric; such an address comes first. Throws Error.
  std::vector<SocketAddress> places(const std::vector<PortAddress>& ports) const;
  /// A connection that a process has made; an empty Descriptor if there is no connection, or the connection has failed
  /// already.
  Descriptor accept() const noexcept;

 private:
  Descriptor socket_;
  bool version_6_ = true;
  std::uint16_t tcp_port_ = 0;
};

/// Begins to connect. The socket becomes writable when the attempt has succeeded or failed. Returns an empty
/// Descriptor, and sets errno, if the attempt has failed already.
Descriptor begin_connecting(const SocketAddress& place) noexcept;
/// The error of a socket whose connection was begun; 0 if it is connected.
int connecting_error(int descriptor) noexcept;

}  // namespace bowline::verbs
