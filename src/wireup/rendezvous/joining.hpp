// SPDX-License-Identifier: BSD-3-Clause
// Joining a rendezvous: one process serves, all connect to it, and each learns its place in the world.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "wireup/rendezvous/channel.hpp"
#include "wireup/rendezvous/line.hpp"
#include "wireup/rendezvous/messages.hpp"
#include "wireup/rendezvous/server.hpp"

namespace bowline::wireup {

struct Joined {
  std::unique_ptr<RendezvousServer> server;  ///< if this process serves
  Channel channel;                           ///< to the process that serves
  Welcome welcome;
};

/// Waits until all processes have come, at most for `patience`. `who`: this process, without the secret and the size.
/// Throws Error.
Joined join_rendezvous(const RendezvousLine& line, Arrival who, std::chrono::seconds patience);

}  // namespace bowline::wireup
