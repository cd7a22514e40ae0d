// SPDX-License-Identifier: BSD-3-Clause
// The hardware on which this process runs, as numbers that its peers can compare with theirs.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "comm/mapping.hpp"

namespace bowline::runtime {

/// The kinds of hardware by which MPI_Comm_split_type can split, from the widest to the narrowest: shared memory, then
/// what hwloc knows. `mine` is the instance of each kind on which this process runs; -1 if it may run on several.
struct Hardware {
  static constexpr std::string_view shared_memory = "mpi_shared_memory";
  static constexpr std::size_t kinds = 8;

  std::array<std::string_view, kinds> names;
  std::array<int, kinds> mine;

  /// Reads the current binding of this process. If this node does not have a kind of hardware, the whole node counts as
  /// one instance of it.
  static Hardware read();
};

/// Where this process runs, for the mapping of topologies: node, socket, L3 cache and core.
comm::Place place_here();

}  // namespace bowline::runtime
