// SPDX-License-Identifier: BSD-3-Clause
// Every rank talks to its neighbours; then the last one leaves without MPI_Finalize, and the others must not wait for
// it for ever.
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, token = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int peer = 0; peer < size; ++peer) {
    if (peer != rank)
      MPI_Sendrecv(&rank, 1, MPI_INT, peer, 1, &token, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) _exit(0);
  MPI_Finalize();
  printf("rank %d has ended\n", rank);
  return 0;
}
