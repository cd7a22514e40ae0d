// SPDX-License-Identifier: BSD-3-Clause
// The ports of this node's RDMA adapters, and which of them this process uses.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verbs/socket_address.hpp"

namespace bowline::verbs {

/// The kind of network behind a port.
enum class Fabric : std::uint8_t { infiniband, roce_v1, roce_v2, iwarp };

/// What a peer must know of a port to send to it.
struct PortAddress {
  Fabric fabric = Fabric::infiniband;
  std::uint8_t mtu = 0;  ///< ibv_mtu: the longest packet
  std::uint16_t lid = 0;
  std::array<std::uint8_t, 16> gid{};
  bool operator==(const PortAddress&) const = default;
};

/// Whether queue pairs at these ports can be connected without the connection manager: both are RoCE ports of the same
/// version, or InfiniBand ports in one subnet. The result is symmetric, so both ends come to the same answer.
bool connect_directly(const PortAddress& one, const PortAddress& other) noexcept;

/// Whether this is an InfiniBand port in a subnet that routers may join to others; see Contact::managed.
bool is_routable(const PortAddress& port) noexcept;

/// The IP address that the GID of a RoCE port contains; none if the address is link-local.
std::optional<SocketAddress> place_in_gid(const PortAddress& port) noexcept;

/// What connects the queue pairs of a port: what a handshake tells, or the connection manager (librdmacm).
enum class Connecting : std::uint8_t {
  direct,
  either,   ///< the connection manager connects the queue pairs to other subnets
  managed,  ///< the connection manager all
};

/// A port as it was found.
struct Port {
  std::string device;
  std::uint8_t number = 1;
  PortAddress address;
  int gid_index = -1;
  Connecting connecting = Connecting::direct;
  SocketAddress interface;  ///< its IP address, unless `connecting` is direct
  unsigned distance = 0;    ///< node::numa_distance() from this process's cores: 10 is the nearest, 0 is not known
  std::uint64_t rate = 0;   ///< in Mbit/s; 0 if it is not known
  std::string unusable;     ///< the reason in words; empty if the port is active and can be used
  bool chosen = false;
  std::string verdict;  ///< in words: why it was chosen or not
};

/// Looks at all ports and chooses: the usable ones that `verbs_device` names, in that order; without names the nearest,
/// of those the fastest, and beside it others that are as near, as fast and on the same fabric, up to `verbs_rails` in
/// all. Loads libibverbs. Throws Error if it is not there.
std::vector<Port> survey_ports();

/// Chooses among `ports` as survey_ports() does: sets `chosen` and `verdict`, and moves the chosen ports to the front.
/// `wanted`: the value of verbs_device; `most`: the value of verbs_rails. Throws Error if `wanted` names a port that is
/// not there.
void choose_ports(std::vector<Port>& ports, const std::string& wanted, std::size_t most);

/// "mlx5_0, port 1", for sentences.
std::string to_text(const Port& port);

/// Whether the kernel shows an RDMA adapter that processes can open. Loads nothing.
bool kernel_has_adapters() noexcept;

}  // namespace bowline::verbs
