// SPDX-License-Identifier: BSD-3-Clause
// Mapping: assigns processes to the places of a virtual topology, so that neighbours are close to each other in the
// machine. Pure functions: equal arguments give equal results in every process.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "comm/process_topology.hpp"

namespace bowline::comm {

/// Where a process runs, from the widest part of the machine to the narrowest. An unknown part has the same number in
/// all processes.
struct HardwarePlace {
  static constexpr std::size_t levels = 4;
  std::array<int, levels> part{};  ///< node, package or NUMA node, shared cache, core

  bool operator==(const HardwarePlace&) const = default;
};

// If a mapping brings no neighbours closer to each other, processes keep their order.

/// The process for each place of the grid, by rank in the grid. Recursively bisects the grid across its longest side,
/// and the processes at boundaries between the machine's parts. Places beyond the grid's size get no process.
std::vector<int> map_grid(const Cartesian& grid, std::span<const HardwarePlace> processes);

/// The process for each vertex of a graph, given as the neighbours of each vertex. Fills the parts of the machine one
/// after the other, always with the vertex that has most edges into the current part.
std::vector<int> map_graph(const std::vector<std::vector<int>>& neighbours, std::span<const HardwarePlace> processes);

/// The neighbours of every rank of a grid.
std::vector<std::vector<int>> neighbours_of(const Cartesian& grid);

/// The number of edges between different parts of the machine at a level; `process` is a result of map_*.
std::size_t count_crossings(const std::vector<std::vector<int>>& neighbours, std::span<const int> process,
                            std::span<const HardwarePlace> processes, std::size_t level);

}  // namespace bowline::comm
