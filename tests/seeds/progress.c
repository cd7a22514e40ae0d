// SPDX-License-Identifier: BSD-3-Clause
// A matching pair makes progress whatever waits before it: tag 1 is received first although tag 0 was sent first, from
// a buffer, and the send of tag 1 waits for its receive.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char* argv[]) {
  int rank, first = 0, second = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    char buffer[sizeof(int) + MPI_BSEND_OVERHEAD];
    void* attached;
    int size;
    MPI_Buffer_attach(buffer, sizeof buffer);
    first = 5;
    second = 8;
    MPI_Bsend(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Ssend(&second, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    MPI_Buffer_detach(&attached, &size);
  } else if (rank == 1) {
    MPI_Recv(&first, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Recv(&second, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("buf1: %d\nbuf2: %d\n", first, second);
  }
  MPI_Finalize();
  return 0;
}
