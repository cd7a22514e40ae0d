// SPDX-License-Identifier: BSD-3-Clause
// Each process passes a number to the next one. The ends of the chain have no partner.
//
//     mpiexec -n 3 ./shift
//     rank 0 has -1
//     rank 1 has 0
//     rank 2 has 10
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  const int source = rank > 0 ? rank - 1 : MPI_PROC_NULL, dest = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
  const int mine = 10 * rank;
  int received = -1;
  MPI_Sendrecv(&mine, 1, MPI_INT, dest, 0, &received, 1, MPI_INT, source, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  printf("rank %d has %d\n", rank, received);
  MPI_Finalize();
  return 0;
}
