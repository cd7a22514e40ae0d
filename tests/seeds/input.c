// SPDX-License-Identifier: BSD-3-Clause
// Standard input belongs to rank 0; for all others it is at its end at once.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char* argv[]) {
  int rank, number = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int read = scanf("%d", &number);
  printf("%d: t = %d, x = %d\n", rank, read, number);
  MPI_Finalize();
  return 0;
}
