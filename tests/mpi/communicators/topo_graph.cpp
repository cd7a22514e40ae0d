// SPDX-License-Identifier: BSD-3-Clause
// Graph topologies: known as a whole, and distributed in both ways; a ring with a chord from rank 0 to the middle.
#include <algorithm>
#include <array>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

std::vector<int> neighbours(int rank) {
  const int n = check::size;
  std::vector<int> result = {(rank + n - 1) % n, (rank + 1) % n};
  if (rank == 0) result.push_back(n / 2);
  if (rank == n / 2) result.push_back(0);
  return result;
}

void whole(bool reorder) {
  std::vector<int> index, edges;
  for (int rank = 0; rank < check::size; ++rank) {
    const std::vector<int> list = neighbours(rank);
    edges.insert(edges.end(), list.begin(), list.end());
    index.push_back(static_cast<int>(edges.size()));
  }
  MPI_Comm comm;
  CHECK_EQ(MPI_Graph_create(world, check::size, index.data(), edges.data(), reorder ? 1 : 0, &comm), MPI_SUCCESS);
  int kind = -1, nodes = -1, count = -1, rank = -1;
  CHECK_EQ(MPI_Topo_test(comm, &kind), MPI_SUCCESS);
  CHECK_EQ(kind, MPI_GRAPH);
  CHECK_EQ(MPI_Graphdims_get(comm, &nodes, &count), MPI_SUCCESS);
  CHECK_EQ(nodes, check::size);
  CHECK_EQ(count, static_cast<int>(edges.size()));
  std::vector<int> got_index(index.size()), got_edges(edges.size());
  CHECK_EQ(MPI_Graph_get(comm, nodes, count, got_index.data(), got_edges.data()), MPI_SUCCESS);
  CHECK(got_index == index && got_edges == edges);
  MPI_Comm_rank(comm, &rank);
  CHECK_EQ(MPI_Graph_neighbors_count(comm, rank, &count), MPI_SUCCESS);
  std::vector<int> mine(static_cast<std::size_t>(count));
  CHECK_EQ(MPI_Graph_neighbors(comm, rank, count, mine.data()), MPI_SUCCESS);
  CHECK(mine == neighbours(rank));
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  int place = -2;
  CHECK_EQ(MPI_Graph_map(world, check::size, index.data(), edges.data(), &place), MPI_SUCCESS);
  if (reorder) CHECK_EQ(place, rank);
  CHECK_EQ(MPI_Graph_map(world, 0, nullptr, nullptr, &place), MPI_SUCCESS);
  CHECK_EQ(place, MPI_UNDEFINED);
  CHECK_EQ(MPI_Graph_create(world, 0, nullptr, nullptr, 0, &comm), MPI_SUCCESS);
  CHECK(comm == MPI_COMM_NULL);
}

std::vector<int> sorted(std::vector<int> values) {
  std::ranges::sort(values);
  return values;
}

void expect_part(MPI_Comm comm, bool weighted) {
  int kind = -1, in = -1, out = -1, has_weights = -1, rank = -1;
  CHECK_EQ(MPI_Topo_test(comm, &kind), MPI_SUCCESS);
  CHECK_EQ(kind, MPI_DIST_GRAPH);
  CHECK_EQ(MPI_Dist_graph_neighbors_count(comm, &in, &out, &has_weights), MPI_SUCCESS);
  CHECK_EQ(has_weights != 0, weighted);
  std::vector<int> sources(static_cast<std::size_t>(in)), destinations(static_cast<std::size_t>(out));
  std::vector<int> in_weights(sources.size()), out_weights(destinations.size());
  CHECK_EQ(MPI_Dist_graph_neighbors(comm, in, sources.data(), weighted ? in_weights.data() : MPI_UNWEIGHTED, out,
                                    destinations.data(), weighted ? out_weights.data() : MPI_UNWEIGHTED),
           MPI_SUCCESS);
  MPI_Comm_rank(comm, &rank);
  CHECK(sorted(sources) == sorted(neighbours(rank)));
  CHECK(sorted(destinations) == sorted(neighbours(rank)));
  if (!weighted) return;
  for (std::size_t i = 0; i < sources.size(); ++i) CHECK_EQ(in_weights[i], 100 * sources[i] + rank);
  for (std::size_t i = 0; i < destinations.size(); ++i) CHECK_EQ(out_weights[i], 100 * rank + destinations[i]);
}

void adjacent(bool reorder, bool weighted) {
  const std::vector<int> list = neighbours(check::rank);
  std::vector<int> in, out;
  for (const int other : list) {
    in.push_back(100 * other + check::rank);
    out.push_back(100 * check::rank + other);
  }
  const int degree = static_cast<int>(list.size());
  MPI_Comm comm;
  CHECK_EQ(MPI_Dist_graph_create_adjacent(world, degree, list.data(), weighted ? in.data() : MPI_UNWEIGHTED, degree,
                                          list.data(), weighted ? out.data() : MPI_UNWEIGHTED, MPI_INFO_NULL,
                                          reorder ? 1 : 0, &comm),
           MPI_SUCCESS);
  expect_part(comm, weighted);
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

// Each process tells the edges of the next one; the last one, in a second round, those of nobody.
void general(bool reorder, bool weighted) {
  const int source = (check::rank + 1) % check::size;
  const std::vector<int> list = neighbours(source);
  std::vector<int> weights;
  for (const int other : list) weights.push_back(100 * source + other);
  const int degree = static_cast<int>(list.size());
  MPI_Comm comm;
  CHECK_EQ(MPI_Dist_graph_create(world, 1, &source, &degree, list.data(), weighted ? weights.data() : MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, reorder ? 1 : 0, &comm),
           MPI_SUCCESS);
  expect_part(comm, weighted);
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

void wrong() {
  MPI_Comm comm;
  int index[2] = {1, 0}, edges[2] = {0, 0}, one = 1, minus = -1, outside = check::size;
  CHECK_EQ(MPI_Graph_create(world, check::size + 1, index, edges, 0, &comm), MPI_ERR_ARG);
  if (check::size > 1) CHECK_EQ(MPI_Graph_create(world, 2, index, edges, 0, &comm), MPI_ERR_ARG);
  edges[0] = 1;
  CHECK_EQ(MPI_Graph_create(world, 1, index, edges, 0, &comm), MPI_ERR_ARG);
  CHECK_EQ(MPI_Dist_graph_create(world, 1, &outside, &one, &one, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
           MPI_ERR_RANK);
  CHECK_EQ(MPI_Dist_graph_create(world, 1, edges + 1, &minus, edges, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm),
           MPI_ERR_ARG);
  CHECK_EQ(MPI_Dist_graph_create_adjacent(world, 1, edges + 1, &minus, 0, nullptr, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0,
                                          &comm),
           MPI_ERR_ARG);
  CHECK_EQ(MPI_Dist_graph_neighbors_count(world, &one, &one, &one), MPI_ERR_TOPOLOGY);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  for (const bool reorder : {false, true}) {
    whole(reorder);
    for (const bool weighted : {false, true}) {
      adjacent(reorder, weighted);
      general(reorder, weighted);
    }
  }
  wrong();
  return program.finish();
}
