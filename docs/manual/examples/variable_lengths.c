// SPDX-License-Identifier: BSD-3-Clause
// Rank i has i + 1 numbers. All tell their counts first, then rank 0 gathers the numbers.
//
//     mpiexec -n 3 ./variable_lengths
//     rank 0 has gathered 0 1 1 2 2 2
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  int mine[8], counts[8], displs[8], all[64];
  const int count = rank + 1;
  for (int i = 0; i < count; ++i) mine[i] = rank;
  MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
  int total = 0;
  for (int i = 0; i < size; ++i) {
    displs[i] = total;
    total += counts[i];
  }
  MPI_Gatherv(mine, count, MPI_INT, all, counts, displs, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("rank 0 has gathered");
    for (int i = 0; i < total; ++i) printf(" %d", all[i]);
    printf("\n");
  }
  // The way back, and the same for everybody, take the same counts and places.
  MPI_Scatterv(all, counts, displs, MPI_INT, mine, count, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Allgatherv(mine, count, MPI_INT, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
