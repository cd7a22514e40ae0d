// SPDX-License-Identifier: BSD-3-Clause
// The address that a device of a network publishes for its peers: the version of the wire format, the host's name, and
// what the network itself needs. A hash of all bytes shows whether the bytes that arrived are those that were
// published. An address contains its length, so several may stand one behind the other (transport/striping).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "transport/transport.hpp"

namespace bowline::transport {

struct Published {
  std::uint32_t version;              ///< of the wire format
  std::string host;                   ///< for error messages
  std::span<const std::byte> device;  ///< the network's part; refers to the bytes that were read
};

/// Builds an address in the format of this version. A host name is cut to 255 bytes.
Address publish(std::string_view host, std::span<const std::byte> device);

/// Reads an address, whose format is the same in all versions. The result refers to `address`. Throws Error
/// (MPI_ERR_INTERN) if the bytes that rank `peer` published are too short or damaged. `network`: the network's name in
/// the error's sentence, with its article: "a UCX". Bytes behind the address are ignored.
Published read_published(int peer, std::span<const std::byte> address, std::string_view network);

/// The first of the addresses that stand one behind the other; all bytes if the length in the address cannot be right.
std::span<const std::byte> first_published(std::span<const std::byte> addresses) noexcept;

}  // namespace bowline::transport
