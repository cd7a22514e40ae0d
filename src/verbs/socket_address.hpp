// SPDX-License-Identifier: BSD-3-Clause
// SocketAddress: an IP address of a host, with a port.
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace bowline::verbs {

/// A place on an IP network where a device listens.
struct SocketAddress {
  std::uint16_t tcp_port = 0;
  bool version_6 = false;
  bool loopback = false;                 ///< leads to processes of the same host only
  std::array<std::uint8_t, 16> bytes{};  ///< the IP address: its 4 or 16 bytes
  bool operator==(const SocketAddress&) const = default;
};

/// The addresses of this host's interfaces that are up, without ports. Link-local addresses are left out, because peers
/// cannot use them without the number of their interface. Throws Error.
std::vector<SocketAddress> addresses_of_host();

/// The place as the kernel wants it. Returns its length.
socklen_t write_socket_address(const SocketAddress& place, sockaddr_storage& to) noexcept;

/// "192.0.2.7 port 4711", for sentences.
std::string to_text(const SocketAddress& place);
/// "192.0.2.7".
std::string address_text(const SocketAddress& place);

}  // namespace bowline::verbs
