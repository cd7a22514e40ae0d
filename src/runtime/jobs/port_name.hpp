// SPDX-License-Identifier: BSD-3-Clause
// PortName: the name of a port (MPI-5.0, section 11.4.1), by which other jobs find it: where it listens, and a secret
// that only those know who were told the name.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bowline::runtime {

struct PortName {
  using Secret = std::array<std::byte, 16>;

  /// Longer names would not fit into the buffers of the ABIs of MPICH and Open MPI, with their final null byte.
  static constexpr std::size_t longest = 255;

  std::uint64_t node = 0;  ///< where the port listens; see this_node()
  std::uint16_t port = 0;  ///< of TCP
  Secret secret{};
  std::vector<std::string> addresses;  ///< of the node, numeric, the preferred one first

  /// For example "bowline:8c3f:40123:0f1e2d...:10.0.0.7,fd00::7". Leaves out addresses that would make it too long.
  std::string text() const;
  /// Throws Error (port) if the text is no such name.
  static PortName read(std::string_view text);
  bool operator==(const PortName&) const = default;
};

/// The addresses at which other nodes may reach this one: those of all its interfaces but the loopback; IPv4 first.
std::vector<std::string> addresses_of_this_node();

}  // namespace bowline::runtime
