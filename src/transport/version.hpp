// SPDX-License-Identifier: BSD-3-Clause
// The version of all that processes say to each other. Those of different versions find out at first contact, on either
// side, and do not talk.
#pragma once

#include <cstdint>

#include "base/error.hpp"

namespace bowline::transport {

/// To be raised with each change of proto/wire.hpp, shm/ring.hpp, shm/inbox.hpp or ucx/ucx_wire.hpp, and of what the
/// transports publish. What stands first in an address, in an inbox and in a message says it, in all versions.
inline constexpr std::uint32_t wire_version = 2;

/// Names both versions; `peer`: the world rank that speaks the other one.
Error other_version(int peer, std::uint32_t theirs);

}  // namespace bowline::transport
