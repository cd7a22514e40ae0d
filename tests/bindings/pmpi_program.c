/* SPDX-License-Identifier: BSD-3-Clause */
/* Sends itself seven numbers and says whether they arrived; knows nothing of the tool that watches it. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int total = 0;
  int i;
  MPI_Init(&argc, &argv);
  for (i = 1; i <= 7; ++i) {
    int received = 0;
    MPI_Request request;
    MPI_Irecv(&received, 1, MPI_INT, 0, i, MPI_COMM_SELF, &request);
    MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    total += received;
  }
  printf("the numbers sum up to %d\n", total);
  MPI_Finalize();
  return total == 28 ? 0 : 1;
}
