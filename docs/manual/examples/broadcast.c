// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 knows a number and tells it to all.
//
//     mpiexec -n 3 ./broadcast
//     rank 0 knows 5
//     rank 1 knows 5
//     rank 2 knows 5
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  int number = rank == 0 ? 5 : 0;
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  printf("rank %d knows %d\n", rank, number);
  MPI_Finalize();
  return 0;
}
