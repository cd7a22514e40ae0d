// SPDX-License-Identifier: BSD-3-Clause
// Breaks the TCP connections between two processes of this node.
#pragma once
#include <sys/types.h>

#include <cstddef>

namespace bowline::launcher {

/// Shuts down every TCP connection that leads from one process to the other, at both ends and in both directions, as a
/// network does that fails. Both processes must be ones that this process may trace, such as its children. Returns the
/// number of connections. Throws std::system_error if the system does not give access to the processes' sockets.
std::size_t break_connections(pid_t one, pid_t other);

}  // namespace bowline::launcher
