// SPDX-License-Identifier: BSD-3-Clause
// Two processes send to each other before they receive: their messages are copied.
//
//     mpiexec -n 2 ./buffered_send
//     rank 0 has received 1
//     rank 1 has received 0
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  int bytes;
  MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &bytes);
  bytes += MPI_BSEND_OVERHEAD;
  MPI_Buffer_attach(malloc((size_t)bytes), bytes);

  int received;
  MPI_Bsend(&rank, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
  MPI_Recv(&received, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d has received %d\n", rank, received);

  void* buffer;
  MPI_Buffer_detach(&buffer, &bytes);  // waits until the message has left
  free(buffer);
  MPI_Finalize();
  return 0;
}
