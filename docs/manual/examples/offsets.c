// SPDX-License-Identifier: BSD-3-Clause
// Finds where each process's part of a common list begins.
//
//     mpiexec -n 3 ./offsets
//     rank 0: 1 elements from 0 on
//     rank 1: 2 elements from 1 on
//     rank 2: 3 elements from 3 on
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  const int count = rank + 1;
  int end, begin = 0;  // rank 0 gets no result of MPI_Exscan
  MPI_Exscan(&count, &begin, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(&count, &end, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);  // includes this process's own count
  printf("rank %d: %d elements from %d on\n", rank, end - begin, begin);
  MPI_Finalize();
  return 0;
}
