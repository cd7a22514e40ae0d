// SPDX-License-Identifier: BSD-3-Clause
// Each process of a ring tells both neighbours a number of its own, in one call.
//
//     mpiexec -n 3 ./neighbours
//     rank 0 has 21 and 12 of its neighbours
//     rank 1 has 1 and 22 of its neighbours
//     rank 2 has 11 and 2 of its neighbours
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  const int neighbours[] = {(rank + size - 1) % size, (rank + 1) % size};
  const int weights[] = {1, 1};  // or MPI_UNWEIGHTED
  MPI_Comm ring;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, neighbours, weights, 2, neighbours, weights, MPI_INFO_NULL, 0,
                                 &ring);
  const int numbers[] = {10 * rank + 2, 10 * rank + 1};  // for the one before, for the one behind
  int received[2], ranks[2];
  MPI_Neighbor_alltoall(numbers, 1, MPI_INT, received, 1, MPI_INT, ring);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, ranks, 1, MPI_INT, ring);
  if (ranks[0] != neighbours[0]) puts("neighbours have the order in which they were given");
  printf("rank %d has %d and %d of its neighbours\n", rank, received[0], received[1]);
  MPI_Comm_free(&ring);
  MPI_Finalize();
  return 0;
}
