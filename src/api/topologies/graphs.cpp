// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 8: graph topologies and distributed graph topologies.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "api/communicators/making.hpp"
#include "api/entry/validators.hpp"
#include "api/environment/info_handles.hpp"
#include "api/topologies/topologies.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "comm/group.hpp"
#include "proto/engine.hpp"

namespace bowline::api {
namespace {

const comm::Graph& graph_of(const comm::Communicator& comm) {
  return topology_of<comm::Graph>(comm, "a graph", "MPI_Graph_create");
}

const comm::DistributedGraph& part_of(const comm::Communicator& comm) {
  return topology_of<comm::DistributedGraph>(comm, "a distributed graph", "MPI_Dist_graph_create");
}

comm::Graph read_graph(const comm::Communicator& comm, int nodes, const int index[], const int edges[]) {
  check::non_negative(nodes, "nnodes");
  check::array(index, nodes, "indx");
  if (nodes > comm.size()) {
    throw Error(ErrorClass::arg,
                fmt::format("nnodes is {}, but the communicator has {} processes", nodes, comm.size()));
  }
  comm::Graph graph;
  for (int i = 0; i < nodes; ++i) {
    if (index[i] < (i == 0 ? 0 : index[i - 1])) {
      throw Error(ErrorClass::arg,
                  fmt::format("indx[{}] is {}, but the entries must not be negative or become smaller", i, index[i]));
    }
    graph.index.push_back(index[i]);
  }
  const int count = nodes == 0 ? 0 : graph.index.back();
  check::array(edges, count, "edges");
  for (int i = 0; i < count; ++i) {
    if (edges[i] < 0 || edges[i] >= nodes) {
      throw Error(ErrorClass::arg,
                  fmt::format("edges[{}] is {}, but the graph has the nodes 0 to {}", i, edges[i], nodes - 1));
    }
    graph.edges.push_back(edges[i]);
  }
  return graph;
}

std::vector<std::vector<int>> all_neighbours(const comm::Graph& graph) {
  std::vector<std::vector<int>> result;
  for (int rank = 0; rank < static_cast<int>(graph.index.size()); ++rank) {
    const auto mine = graph.neighbours(rank);
    result.emplace_back(mine.begin(), mine.end());
  }
  return result;
}

/// Copies as many values as the user's array has room for.
void give(const std::vector<int>& values, int room, int* target) {
  std::ranges::copy(std::span(values).first(std::min(values.size(), static_cast<std::size_t>(room))), target);
}

// ---- distributed graphs

struct Edge {
  int from;
  int to;
  int weight;
};

bool has_weights(const int* weights) {
  return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
}

void check_neighbours(const comm::Communicator& comm, std::span<const int> ranks, const char* name) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (!check::is_member(ranks[i], comm))
      check::refuse::rank(ranks[i], fmt::format("{}[{}]", name, i).c_str(), comm, "");
  }
}

std::span<const int> list(const comm::Communicator& comm, int count, const int* ranks, const char* name) {
  check::array(ranks, count, name);
  const std::span<const int> result(ranks, static_cast<std::size_t>(count));
  check_neighbours(comm, result, name);
  return result;
}

std::vector<int> read_weights(std::size_t count, const int* weights, const char* name) {
  if (!has_weights(weights)) return std::vector<int>(count, 1);
  check::array(weights, static_cast<MPI_Count>(count), name);
  for (std::size_t i = 0; i < count; ++i) {
    if (weights[i] < 0) {
      throw Error(ErrorClass::arg, fmt::format("{}[{}] is {}, but weights are 0 or more", name, i, weights[i]));
    }
  }
  return {weights, weights + count};
}

/// The edges that all members pass, in the order of their ranks. Collective.
std::vector<Edge> gather_edges(comm::Communicator& comm, const std::vector<Edge>& mine) {
  const std::vector<int> counts = gather_all(comm.team(), static_cast<int>(mine.size()));
  const auto most = static_cast<std::size_t>(std::ranges::max(counts));
  std::vector<Edge> padded(most * counts.size());
  std::ranges::copy(mine, padded.begin() + static_cast<std::ptrdiff_t>(most * static_cast<std::size_t>(comm.rank())));
  {
    const LockGuard lane(comm.engine().lock());
    coll::allgather(comm.team(), std::as_writable_bytes(std::span(padded)));
  }
  std::vector<Edge> all;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const auto given = std::span(padded).subspan(most * rank, static_cast<std::size_t>(counts[rank]));
    all.insert(all.end(), given.begin(), given.end());
  }
  return all;
}

comm::DistributedGraph part(const std::vector<Edge>& edges, int rank, bool weighted) {
  comm::DistributedGraph result{.weighted = weighted};
  for (const auto& [from, to, weight] : edges) {
    if (to == rank) {
      result.sources.push_back(from);
      result.source_weights.push_back(weight);
    }
    if (from == rank) {
      result.destinations.push_back(to);
      result.destination_weights.push_back(weight);
    }
  }
  return result;
}

/// Makes a communicator with the members in an order that suits the machine: each member gets the rank of its vertex.
MPI_Comm make_reordered(comm::Communicator& comm, const std::vector<Edge>& edges, bool weighted) {
  std::vector<std::vector<int>> joined(static_cast<std::size_t>(comm.size()));
  for (const Edge& edge : edges) {
    joined[static_cast<std::size_t>(edge.from)].push_back(edge.to);
    joined[static_cast<std::size_t>(edge.to)].push_back(edge.from);
  }
  const std::vector<int> mapping = comm::map_graph(joined, gather_places(comm));
  const int vertex = place_in(mapping, comm.rank());
  return make_with(comm, reordered(comm, mapping), part(edges, vertex, weighted));
}

}  // namespace

void graph_create(comm::Communicator& comm_old, int nnodes, const int indx[], const int edges[], int reorder,
                  MPI_Comm* comm_graph) {
  *comm_graph = MPI_COMM_NULL;
  comm::Graph graph = read_graph(comm_old, nnodes, indx, edges);
  if (nnodes == 0) return;
  const comm::RankRange first[] = {{0, nnodes - 1, 1}};
  const comm::Group members = reorder != 0
                                  ? reordered(comm_old, comm::map_graph(all_neighbours(graph), gather_places(comm_old)))
                                  : comm_old.group().including(first);
  *comm_graph = make_with(comm_old, members, std::move(graph));
}

// The rank that MPI_Graph_create assigns if it may reorder. Collective, because a process does not know where the
// others run.
void graph_map(comm::Communicator& comm, int nnodes, const int indx[], const int edges[], int* newrank) {
  const comm::Graph graph = read_graph(comm, nnodes, indx, edges);
  *newrank =
      nnodes == 0 ? MPI_UNDEFINED : place_in(comm::map_graph(all_neighbours(graph), gather_places(comm)), comm.rank());
}

void graphdims_get(comm::Communicator& comm, int* nnodes, int* nedges) {
  const comm::Graph& graph = graph_of(comm);
  *nnodes = static_cast<int>(graph.index.size());
  *nedges = static_cast<int>(graph.edges.size());
}

void graph_get(comm::Communicator& comm, int maxindex, int maxedges, int indx[], int edges[]) {
  const comm::Graph& graph = graph_of(comm);
  give(graph.index, maxindex, indx);
  give(graph.edges, maxedges, edges);
}

void graph_neighbors_count(comm::Communicator& comm, int rank, int* nneighbors) {
  *nneighbors = static_cast<int>(graph_of(comm).neighbours(rank).size());
}

void graph_neighbors(comm::Communicator& comm, int rank, int maxneighbors, int neighbors[]) {
  const auto all = graph_of(comm).neighbours(rank);
  give({all.begin(), all.end()}, maxneighbors, neighbors);
}

void dist_graph_create(comm::Communicator& comm_old, int n, const int sources[], const int degrees[],
                       const int destinations[], const int weights[], MPI_Info info, int reorder,
                       MPI_Comm* comm_dist_graph) {
  *comm_dist_graph = MPI_COMM_NULL;
  hints_of(info);
  const auto from = list(comm_old, n, sources, "sources");
  check::array(degrees, n, "degrees");
  std::vector<Edge> mine;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (degrees[i] < 0) {
      throw Error(ErrorClass::arg, fmt::format("degrees[{}] is {}, but it must be 0 or more", i, degrees[i]));
    }
    for (int k = 0; k < degrees[i]; ++k) mine.push_back({from[i], 0, 1});
  }
  const auto to = list(comm_old, static_cast<int>(mine.size()), destinations, "destinations");
  const std::vector<int> weight = read_weights(mine.size(), weights, "weights");
  for (std::size_t i = 0; i < mine.size(); ++i) {
    mine[i].to = to[i];
    mine[i].weight = weight[i];
  }
  const std::vector<Edge> all = gather_edges(comm_old, mine);
  const bool weighted = weights != MPI_UNWEIGHTED;
  *comm_dist_graph = reorder != 0 ? make_reordered(comm_old, all, weighted)
                                  : make_with(comm_old, comm_old.group(), part(all, comm_old.rank(), weighted));
}

void dist_graph_create_adjacent(comm::Communicator& comm_old, int indegree, const int sources[],
                                const int sourceweights[], int outdegree, const int destinations[],
                                const int destweights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
  *comm_dist_graph = MPI_COMM_NULL;
  hints_of(info);
  const auto from = list(comm_old, indegree, sources, "sources");
  const auto to = list(comm_old, outdegree, destinations, "destinations");
  comm::DistributedGraph mine{.sources = {from.begin(), from.end()},
                              .source_weights = read_weights(from.size(), sourceweights, "sourceweights"),
                              .destinations = {to.begin(), to.end()},
                              .destination_weights = read_weights(to.size(), destweights, "destweights"),
                              .weighted = sourceweights != MPI_UNWEIGHTED};
  if (reorder == 0) {
    *comm_dist_graph = make_with(comm_old, comm_old.group(), std::move(mine));
    return;
  }
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < to.size(); ++i) edges.push_back({comm_old.rank(), to[i], mine.destination_weights[i]});
  *comm_dist_graph = make_reordered(comm_old, gather_edges(comm_old, edges), mine.weighted);
}

void dist_graph_neighbors_count(comm::Communicator& comm, int* indegree, int* outdegree, int* weighted) {
  const comm::DistributedGraph& graph = part_of(comm);
  *indegree = static_cast<int>(graph.sources.size());
  *outdegree = static_cast<int>(graph.destinations.size());
  *weighted = graph.weighted ? 1 : 0;
}

void dist_graph_neighbors(comm::Communicator& comm, int maxindegree, int sources[], int sourceweights[],
                          int maxoutdegree, int destinations[], int destweights[]) {
  const comm::DistributedGraph& graph = part_of(comm);
  give(graph.sources, maxindegree, sources);
  give(graph.destinations, maxoutdegree, destinations);
  if (!graph.weighted) return;
  if (has_weights(sourceweights)) give(graph.source_weights, maxindegree, sourceweights);
  if (has_weights(destweights)) give(graph.destination_weights, maxoutdegree, destweights);
}

}  // namespace bowline::api
