// SPDX-License-Identifier: BSD-3-Clause
// What a UCX device publishes so that its peers reach it. UCX takes addresses without their length and believes all
// that they say, so a number made from all bytes tells whether they are those that were published.
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
  std::string host;                   ///< for sentences
  std::span<const std::byte> worker;  ///< UCX's own address; lies in what was read
};

/// In the words of this version.
transport::Address publish(std::string_view host, std::span<const std::byte> worker);

/// The same form in all versions. Throws Error if rank `peer` has published something else.
Published read_published(int peer, std::span<const std::byte> address);

}  // namespace bowline::ucx
