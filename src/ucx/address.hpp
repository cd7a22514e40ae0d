// SPDX-License-Identifier: BSD-3-Clause
// The address that a UCX device publishes for its peers. UCX takes an address without its length and does not check it,
// so a hash of all bytes shows whether the bytes that arrived are those that were published.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "transport/transport.hpp"

namespace bowline::ucx {

struct Published {
  std::uint32_t version;              ///< of the wire format
  std::string host;                   ///< for error messages
  std::span<const std::byte> worker;  ///< UCX's worker address; refers to the bytes that were read
};

/// Builds an address in the format of this version. A host name is cut to 255 bytes.
transport::Address publish(std::string_view host, std::span<const std::byte> worker);

/// Reads an address, whose format is the same in all versions. The result refers to `address`. Throws Error
/// (MPI_ERR_INTERN) if the bytes that rank `peer` published are too short or damaged.
Published read_published(int peer, std::span<const std::byte> address);

}  // namespace bowline::ucx
