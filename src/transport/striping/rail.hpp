// SPDX-License-Identifier: BSD-3-Clause
// Rails: the devices of one kind, such as a node's network adapters, over which long messages are striped.
#pragma once

#include <cstddef>

namespace bowline::transport {

/// Rails of a process.
inline constexpr std::size_t most_rails = 8;

/// The longest key of a rail to memory that several rails access, in bytes.
inline constexpr std::size_t longest_rail_key = 64;

struct StripingLimits {
  std::size_t from = 0;      ///< shortest transfer that goes over several rails
  std::size_t align = 4096;  ///< all parts but the last have a length that is a multiple of so many bytes
};

}  // namespace bowline::transport
