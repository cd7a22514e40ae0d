// SPDX-License-Identifier: BSD-3-Clause
// Asks libibverbs and the kernel about the ports of all RDMA adapters.
#pragma once

#include <vector>

#include "verbs/verbs_port.hpp"

namespace bowline::verbs {

/// All ports, in the order in which libibverbs lists them, none chosen. Throws Error if libibverbs is not there, or if
/// it cannot list the adapters.
std::vector<Port> find_ports();

}  // namespace bowline::verbs
