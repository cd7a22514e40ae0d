// SPDX-License-Identifier: BSD-3-Clause
// For systems that do not tell a process on which CPUs it may run: profiles of system calls that refuse
// sched_getaffinity. There hwloc loops for ever when it reads the machine, so it must not.
#pragma once

#include <string>

namespace bowline::node {

/// Whether the kernel tells this process on which CPUs it may run.
bool affinity_is_known() noexcept;

/// The machine, as far as it is known without the affinity, as a description for hwloc_topology_set_synthetic().
std::string machine_without_affinity();

}  // namespace bowline::node
