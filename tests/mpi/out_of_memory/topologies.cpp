// SPDX-License-Identifier: BSD-3-Clause
// Chapter: process topologies, and the collectives of neighbours.
#include "chapter.hpp"

namespace chapter {
namespace {

// A ring: the neighbours are the previous and the next rank.
void exchange(MPI_Comm comm) {
  int in[2] = {-1, -1};
  must(MPI_Neighbor_allgather(&rank, 1, MPI_INT, in, 1, MPI_INT, comm));
  right(in[0] + in[1] == previous() + next(), "neighbor_allgather");
  Requests<1> request;
  const int both[] = {rank, rank};
  int later[2] = {-1, -1};
  must(MPI_Ineighbor_alltoall(both, 1, MPI_INT, later, 1, MPI_INT, comm, request[0]));
  request.wait();
  right(later[0] + later[1] == previous() + next(), "ineighbor_alltoall");
}

void grid() {
  const int dims[] = {size}, periodic[] = {1}, keep[] = {1};
  Comm cart, part;
  must(MPI_Cart_create(MPI_COMM_WORLD, 1, dims, periodic, 0, &cart));
  exchange(cart);
  must(MPI_Cart_sub(cart, keep, &part));
  int place = 0, source = -1, dest = -1;
  must(MPI_Cart_coords(cart, rank, 1, &place));
  must(MPI_Cart_shift(cart, 0, 1, &source, &dest));
  right(source == previous() && dest == next(), "cart_shift");
  int free_dims[] = {0, 0};
  must(MPI_Dims_create(size, 2, free_dims));
}

void graph() {
  int index[64], edges[128];
  for (int i = 0; i < size; ++i) {
    index[i] = 2 * (i + 1);
    edges[2 * i] = (i + size - 1) % size;
    edges[2 * i + 1] = (i + 1) % size;
  }
  Comm comm;
  must(MPI_Graph_create(MPI_COMM_WORLD, size, index, edges, 0, &comm));
  exchange(comm);
}

void distributed_graph() {
  const int sources[] = {previous(), next()}, dests[] = {previous(), next()};
  Comm comm, told;
  must(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, sources, MPI_UNWEIGHTED, 2, dests, MPI_UNWEIGHTED,
                                      MPI_INFO_NULL, 0, &comm));
  exchange(comm);
  const int degree[] = {2};
  must(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, degree, dests, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &told));
  exchange(told);
}

void run() {
  grid();
  graph();
  distributed_graph();
}

}  // namespace

const Chapter topologies{"topologies", run};

}  // namespace chapter
