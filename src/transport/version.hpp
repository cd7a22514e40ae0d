// SPDX-License-Identifier: BSD-3-Clause
// The version of everything that processes exchange. Processes of different versions detect the difference when they
// establish a connection, on either side, and exchange nothing more.
#pragma once

#include <cstdint>

#include "base/error.hpp"

namespace bowline::transport {

/// To be raised with each change of proto/wire.hpp, shm/ring.hpp, shm/inbox.hpp, shm/directory.hpp, ucx/ucx_wire.hpp or
/// verbs/connection/verbs_wire.hpp, and with each change of the addresses that the transports publish. The first fields
/// of an address, of an inbox and of a message contain it, in all versions.
inline constexpr std::uint32_t wire_version = 8;

/// An error that names both versions. `peer`: the world rank whose version is `theirs`.
Error other_version(int peer, std::uint32_t theirs);

/// An error for a peer whose common settings (base/common_settings.hpp) are not those of this process: their
/// collectives would wait for each other for ever, or give wrong results.
Error other_settings(int peer);

}  // namespace bowline::transport
