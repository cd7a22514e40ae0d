// SPDX-License-Identifier: BSD-3-Clause
// The hardware on which this process runs, as numbers that its peers can compare with theirs.
#pragma once

#include <array>
#include <string_view>

#include "comm/mapping.hpp"
#include "node/hardware_around.hpp"

namespace bowline::runtime {

/// The kinds of hardware by which MPI_Comm_split_type can split, from the widest to the narrowest: shared memory, then
/// the kinds of node::HardwareKind under hwloc's names. `mine` is the instance of each kind on which this process runs;
/// -1 if it may run on several.
struct Hardware {
  static constexpr std::array<std::string_view, 1 + node::hardware_kinds> names = {
      "mpi_shared_memory", "hwloc://Package", "hwloc://NUMANode", "hwloc://L3Cache",
      "hwloc://L2Cache",   "hwloc://L1Cache", "hwloc://Core",     "hwloc://PU"};
  static constexpr std::size_t kinds = names.size();

  std::array<int, kinds> mine{};

  /// Reads the hardware for the current binding of this process. If this node does not have a kind of hardware, the
  /// whole node counts as one instance of that kind.
  static Hardware read();
};

/// Where this process runs, for the mapping of topologies: node, socket, L3 cache and core.
comm::HardwarePlace place_here();

}  // namespace bowline::runtime
