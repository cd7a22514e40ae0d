// SPDX-License-Identifier: BSD-3-Clause
// The sum of the ranks, counted from 1: proof that the ranks met.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char* argv[]) {
  int rank, size, mine, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  mine = rank + 1;
  MPI_Reduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum of %d ranks: %d\n", size, sum);
#ifdef GREETING
  if (rank == 0) printf("%s\n", GREETING);
#endif
  MPI_Finalize();
  return 0;
}
