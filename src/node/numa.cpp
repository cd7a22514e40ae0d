// SPDX-License-Identifier: BSD-3-Clause
// hwloc gives distances too, but only after it has looked at the whole machine, which takes long.
#include "node/numa.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "node/core_set.hpp"

namespace bowline::node {
namespace {

/// The distance from the cores of one NUMA node to the node of `file`, which has a line with a number for each node.
unsigned distance_in(const std::filesystem::path& file, int node) {
  std::ifstream line(file);
  unsigned distance = 0;
  for (int i = 0; i <= node; ++i) {
    if (!(line >> distance)) return 0;
  }
  return distance;
}

}  // namespace

unsigned numa_distance(int node, const std::string& folder) {
  if (node < 0) return 0;
  const Cores mine = cores_of(0);
  unsigned nearest = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const Cores cores = cores_in(first_line(entry.path() / "cpulist"));
    if (!mine.intersects(cores)) continue;
    const unsigned distance = distance_in(entry.path() / "distance", node);
    if (distance > 0) nearest = nearest == 0 ? distance : std::min(nearest, distance);
  }
  return nearest;
}

}  // namespace bowline::node
