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
  // The last one leaves when the others wait for nothing of it any more: what it has sent may be lost with it.
  const int last = size - 1;
  if (rank == last) {
    for (int peer = 0; peer < last; ++peer) MPI_Recv(&token, 1, MPI_INT, peer, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    _exit(0);
  }
  MPI_Send(&rank, 1, MPI_INT, last, 2, MPI_COMM_WORLD);
  MPI_Finalize();
  printf("rank %d has ended\n", rank);
  return 0;
}
