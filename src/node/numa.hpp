// SPDX-License-Identifier: BSD-3-Clause
// How far this process is from memory and devices, as the kernel knows it.
#pragma once

#include <string>

namespace bowline::node {

/// The distance of NUMA node `node` from the nearest core that this process may use, as the firmware gives it: 10 for a
/// core of that node, more for cores of other nodes. 0 if the distance is not known. `folder`: the kernel's folder, or
/// one that looks like it.
unsigned numa_distance(int node, const std::string& folder = "/sys/devices/system/node");

}  // namespace bowline::node
