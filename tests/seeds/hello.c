// SPDX-License-Identifier: BSD-3-Clause
// The notes' first program: each process says its rank and how many there are.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char* argv[]) {
  int rank, size;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  printf("Hello world from process %d/%d\n", rank, size);
  MPI_Finalize();
  return 0;
}
