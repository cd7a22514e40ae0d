// SPDX-License-Identifier: BSD-3-Clause
// Divides the processes into two parts by their ranks.
//
//     mpiexec -n 4 ./split
//     rank 0: 0 of 2 in part 0
//     rank 1: 0 of 2 in part 1
//     rank 2: 1 of 2 in part 0
//     rank 3: 1 of 2 in part 1
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  MPI_Comm part;
  const int color = rank % 2;
  MPI_Comm_split(MPI_COMM_WORLD, color, rank, &part);
  int rank_there, size_there;
  MPI_Comm_rank(part, &rank_there);
  MPI_Comm_size(part, &size_there);
  printf("rank %d: %d of %d in part %d\n", rank, rank_there, size_there, color);
  MPI_Comm_free(&part);
  MPI_Finalize();
  return 0;
}
