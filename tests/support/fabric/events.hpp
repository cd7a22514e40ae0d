// SPDX-License-Identifier: BSD-3-Clause
// Channels of events: a list in the subnet, and a descriptor that is readable while the list holds something. The
// descriptor is a socket with a name, to which any process can send.
#pragma once

#include <cstdint>

#include "support/fabric/verbs_header.hpp"

namespace fabric {

/// The channel's entry in the subnet. The caller holds the lock, as for all of these but take_event.
int open_channel(int& descriptor);
void close_channel(int channel, int descriptor);

void add_event(int channel, std::uint64_t object, int type);

/// Removes the events of an object that is being destroyed.
void forget_events(int channel, std::uint64_t object);

/// Waits as the descriptor does (not at all if it is non-blocking; then errno is EAGAIN). False if there is none.
bool take_event(int channel, int descriptor, std::uint64_t& object, int& type);

}  // namespace fabric
