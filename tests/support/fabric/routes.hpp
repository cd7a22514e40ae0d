// SPDX-License-Identifier: BSD-3-Clause
// Which queue pair answers another.
#pragma once

#include "support/fabric/adapter.hpp"

namespace fabric {

/// Whether a port of this process's device takes part in the fabric (FABRIC_INACTIVE).
bool is_active(const ibv_device* device, int port);

/// The queue pair that a path and a number lead to, if it answers: it runs, expects this one, and agrees about packet
/// numbers and the size of packets. Anything else is silence, as on a wire.
QueuePair* find_peer(const Pair& pair);

}  // namespace fabric
