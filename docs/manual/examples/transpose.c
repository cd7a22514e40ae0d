// SPDX-License-Identifier: BSD-3-Clause
// Each process has a row of a matrix and gets a column.
//
//     mpiexec -n 3 ./transpose
//     rank 0 has 0 10 20
//     rank 1 has 1 11 21
//     rank 2 has 2 12 22
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  int row[3], column[3];
  for (int j = 0; j < 3; ++j) row[j] = 10 * rank + j;
  MPI_Alltoall(row, 1, MPI_INT, column, 1, MPI_INT, MPI_COMM_WORLD);
  printf("rank %d has %d %d %d\n", rank, column[0], column[1], column[2]);
  MPI_Finalize();
  return 0;
}
