// SPDX-License-Identifier: BSD-3-Clause
// What a verbs device publishes for its peers: its ports, and where it listens for handshakes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/transport.hpp"
#include "verbs/socket_address.hpp"
#include "verbs/verbs_port.hpp"

namespace bowline::verbs {

struct DeviceAddress {
  std::uint32_t version = 0;  ///< of the wire format
  std::string host;
  std::uint64_t cookie = 0;  ///< shows an initiator to be a process of the job
  std::vector<PortAddress> ports;
  std::vector<SocketAddress> places;  ///< the best one first
  bool only_managed = false;          ///< its queue pairs are connected by the connection manager in any case
  std::uint32_t longest_message =
      0;                  ///< longest message that the device's buffers hold: prefix and body together, in bytes
  SocketAddress manager;  ///< where the connection manager listens; without a port if it does not
};

/// How a queue pair of one device is connected with a queue pair of the other device; later values are better.
enum class Contact : std::uint8_t {
  none,     ///< not at all
  managed,  ///< by the connection manager, after the handshake
  direct,   ///< by what a handshake tells
};
/// The result is symmetric, so both ends come to the same answer. A device reaches itself but on iWARP.
Contact contact_between(const DeviceAddress& one, const DeviceAddress& other) noexcept;

transport::Address write_address(const DeviceAddress& address);
/// The format is the same in all versions. Throws Error (MPI_ERR_INTERN) if the bytes that `peer` published are
/// damaged.
DeviceAddress read_address(int peer, std::span<const std::byte> bytes);

/// The places to try, in order, for a process on `host`: those of a peer on another host, or its loopback first.
std::vector<SocketAddress> places_to_try(const DeviceAddress& peer, std::string_view host);

}  // namespace bowline::verbs
