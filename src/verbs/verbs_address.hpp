// SPDX-License-Identifier: BSD-3-Clause
// What a verbs device publishes for its peers: its ports, and where it listens for greetings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/transport.hpp"
#include "verbs/verbs_port.hpp"

namespace bowline::verbs {

/// A place on an IP network where a device listens.
struct ListeningPlace {
  std::uint16_t tcp_port = 0;
  bool version_6 = false;
  bool loopback = false;                 ///< leads to processes of the same host only
  std::array<std::uint8_t, 16> bytes{};  ///< the IP address: 4 or 16 of them
  bool operator==(const ListeningPlace&) const = default;
};

struct DeviceAddress {
  std::uint32_t version = 0;  ///< of the wire format
  std::string host;
  std::uint64_t cookie = 0;  ///< shows a greeting process to be one of the job
  std::vector<PortAddress> ports;
  std::vector<ListeningPlace> places;  ///< the best one first
};

transport::Address write_address(const DeviceAddress& address);
/// The format is the same in all versions. Throws Error (MPI_ERR_INTERN) if the bytes that `peer` published are
/// damaged.
DeviceAddress read_address(int peer, std::span<const std::byte> bytes);

/// The places to try, in order, for a process on `host`: those of a peer on another host, or its loopback first.
std::vector<ListeningPlace> places_to_try(const DeviceAddress& peer, std::string_view host);

}  // namespace bowline::verbs
