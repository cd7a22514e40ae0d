// SPDX-License-Identifier: BSD-3-Clause
// A matching pair makes progress whatever waits before it: tag 1 is received first although tag 0 was sent first.
//
// The notes send tag 0 with MPI_Bsend and tag 1 with MPI_Ssend; until these exist here, MPI_Isend keeps rank 0 from
// waiting for the first message.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char* argv[]) {
  int rank, first = 0, second = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request request;
    first = 5;
    second = 8;
    MPI_Isend(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Send(&second, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 1) {
    MPI_Recv(&first, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&second, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("buf1: %d\nbuf2: %d\n", first, second);
  }
  MPI_Finalize();
  return 0;
}
