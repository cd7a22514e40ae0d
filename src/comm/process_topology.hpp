// SPDX-License-Identifier: BSD-3-Clause
// Topology: which members of a communicator are neighbours (MPI-5.0, chapter 8). Immutable values.
#pragma once

#include <span>
#include <variant>
#include <vector>

namespace bowline::comm {

/// A grid, in row-major order of ranks.
struct Cartesian {
  std::vector<int> dims;
  std::vector<bool> periodic;

  std::vector<int> coordinates(int rank) const;
  /// The rank at these coordinates. Each coordinate lies in the grid, or its dimension is periodic.
  int rank(const std::vector<int>& coordinates) const;
  /// The neighbours of a rank: for each dimension the neighbour before and the neighbour behind; negative at the end of
  /// the grid. Writes two numbers per dimension.
  void neighbours(int rank, int* result) const noexcept;
};

/// A graph of which every member knows all edges: the edges of rank r are edges[index[r - 1]] to edges[index[r] - 1].
struct Graph {
  std::vector<int> index;
  std::vector<int> edges;

  std::span<const int> neighbours(int rank) const noexcept;
};

/// A graph of which every member knows its own edges.
struct DistributedGraph {
  std::vector<int> sources, source_weights;
  std::vector<int> destinations, destination_weights;
  bool weighted = false;
};

using Topology = std::variant<Cartesian, Graph, DistributedGraph>;

}  // namespace bowline::comm
