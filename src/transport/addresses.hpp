// SPDX-License-Identifier: BSD-3-Clause
// The addresses of all devices of a process in one lane, by the names of their networks, as one block of bytes. So one
// lookup per peer is enough, whatever the number of networks.
//
// Layout, for each device: the length of the name (1 byte), the name, the length of the address (4 bytes, little
// endian), the address.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "transport/transport.hpp"

namespace bowline::transport {

/// Adds a device to `all`. Throws Error if its name or address is too long for the layout.
void add_address(Address& all, std::string_view network, std::span<const std::byte> address);

/// The address of the device in the network of this name; std::nullopt if there is none. The span refers to `all`.
/// Throws Error if the bytes, which another process has published, do not have this layout.
std::optional<std::span<const std::byte>> find_address(std::span<const std::byte> all, std::string_view network);

}  // namespace bowline::transport
