// SPDX-License-Identifier: BSD-3-Clause
// Two messages that match the same receive arrive in the order in which they were sent.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char* argv[]) {
  int rank, first = 0, second = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    first = 5;
    second = 8;
    MPI_Send(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Send(&second, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else if (rank == 1) {
    MPI_Recv(&first, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&second, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("buf1: %d\nbuf2: %d\n", first, second);
  }
  MPI_Finalize();
  return 0;
}
