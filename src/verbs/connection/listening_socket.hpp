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
  /// Where processes of other hosts, and of this one, reach it. `ports`: the address of a RoCE port is one of an
  /// interface, which leads to the same fabric; it comes first. Throws Error.
  std::vector<SocketAddress> places(const std::vector<PortAddress>& ports) const;
  /// A connection that a process has made; none if there is none, or it has failed already.
  Descriptor accept() const noexcept;

 private:
  Descriptor socket_;
  bool version_6_ = true;
  std::uint16_t tcp_port_ = 0;
};

/// Begins to connect. The socket becomes writable when that has succeeded or failed. An empty Descriptor, and errno, if
/// it has failed already.
Descriptor begin_connecting(const SocketAddress& place) noexcept;
/// The error of a socket whose connection was begun; 0 if it is connected.
int connecting_error(int descriptor) noexcept;

}  // namespace bowline::verbs
