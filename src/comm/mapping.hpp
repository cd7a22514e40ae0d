// SPDX-License-Identifier: BSD-3-Clause
// Mapping: which process takes which place of a virtual topology, so that neighbours are close to each other in the
// machine. Pure functions; every process that calls one with the same arguments gets the same answer.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "comm/process_topology.hpp"

namespace bowline::comm {

/// Where a process runs, from the widest part of the machine to the narrowest; what is not known is the same number in
/// all processes.
struct Place {
  static constexpr std::size_t levels = 4;
  std::array<int, levels> part{};  ///< node, package or NUMA node, shared cache, core

  bool operator==(const Place&) const = default;
};

// A mapping that brings no neighbours closer to each other is not made: processes keep their order then.

/// The process for each place of the grid, by rank there: the grid is cut in two again and again, across its longest
/// side, and so are the processes, where the machine's parts meet. Places beyond the grid's size are left out.
std::vector<int> map_grid(const Cartesian& grid, std::span<const Place> processes);

/// The process for each vertex of a graph, given as the neighbours of each vertex: parts of the machine are filled one
/// after the other, each time with the vertex that has most edges into the part.
std::vector<int> map_graph(const std::vector<std::vector<int>>& neighbours, std::span<const Place> processes);

/// The neighbours of every rank of a grid.
std::vector<std::vector<int>> neighbours_of(const Cartesian& grid);

/// How many edges join processes in different parts of the machine, at a level: `process` is what map_* gives.
std::size_t count_crossings(const std::vector<std::vector<int>>& neighbours, std::span<const int> process,
                            std::span<const Place> processes, std::size_t level);

}  // namespace bowline::comm
