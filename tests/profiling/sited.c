/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls MPI at places that call_sites_test.py knows by the comments behind them: calls and bytes on rank 0. */
#include <mpi.h>

static void pass(int rank, int* value, int count) {
  if (rank == 0) {
    MPI_Send(value, count, MPI_INT, 1, 0, MPI_COMM_WORLD); /* site: 5 calls, 60 bytes */
  } else if (rank == 1) {
    MPI_Recv(value, count, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

int main(int argc, char** argv) {
  int rank, value[4] = {0}, sum[4];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < 3; ++i) pass(rank, value, 4);
  pass(rank, value, 1);
  pass(rank, value, 2);
  for (int i = 0; i < 2; ++i) {
    MPI_Allreduce(value, sum, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* site: 2 calls, 32 bytes */
  }
  MPI_Allreduce(value, sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* site: 1 calls, 4 bytes */
  MPI_Barrier(MPI_COMM_WORLD);                                    /* site: 1 calls, 0 bytes */
  MPI_Finalize();
  return 0;
}
