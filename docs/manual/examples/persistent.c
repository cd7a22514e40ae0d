// SPDX-License-Identifier: BSD-3-Clause
// The same message is sent three times by a request that is made once.
//
//     mpiexec -n 2 ./persistent
//     rank 1 has received 0
//     rank 1 has received 1
//     rank 1 has received 4
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  int number;
  MPI_Request request;
  if (rank == 0) {
    MPI_Send_init(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
  } else {
    MPI_Recv_init(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
  }
  for (int step = 0; step < 3; ++step) {
    if (rank == 0) number = step * step;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) printf("rank 1 has received %d\n", number);
  }
  MPI_Request_free(&request);
  MPI_Finalize();
  return 0;
}
