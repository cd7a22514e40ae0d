// SPDX-License-Identifier: BSD-3-Clause
// The transports that this node can use, and the ports of its RDMA adapters.
#pragma once

namespace bowline::launcher {

/// Prints the transports by name, and the reason for each that cannot be used; below verbs each port with what was
/// chosen and why.
void print_transports();

}  // namespace bowline::launcher
