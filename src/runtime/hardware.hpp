// SPDX-License-Identifier: BSD-3-Clause
// Where this process runs, in numbers that its peers can compare with theirs.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "comm/mapping.hpp"

namespace bowline::runtime {

/// The kinds of hardware by which MPI_Comm_split_type can split, from the widest to the narrowest: shared memory, then
/// what hwloc knows. Each with this process's instance of it; -1 if it may run on several.
struct Hardware {
  static constexpr std::string_view shared_memory = "mpi_shared_memory";
  static constexpr std::size_t kinds = 8;

  std::array<std::string_view, kinds> names;
  std::array<int, kinds> mine;

  /// As this process is bound now. Hardware that this node does not have is that of the whole node.
  static Hardware read();
};

/// The same for the mapping of topologies.
comm::Place place_here();

}  // namespace bowline::runtime
