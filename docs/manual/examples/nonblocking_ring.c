// SPDX-License-Identifier: BSD-3-Clause
// Each process sends its rank to both neighbours in a ring and receives theirs, without any order among them.
//
//     mpiexec -n 3 ./nonblocking_ring
//     rank 0 is between 2 and 1
//     rank 1 is between 0 and 2
//     rank 2 is between 1 and 0
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  const int before = (rank + size - 1) % size, behind = (rank + 1) % size;
  int from_before, from_behind;
  MPI_Request requests[4];
  MPI_Irecv(&from_before, 1, MPI_INT, before, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Irecv(&from_behind, 1, MPI_INT, behind, 1, MPI_COMM_WORLD, &requests[1]);
  MPI_Isend(&rank, 1, MPI_INT, behind, 0, MPI_COMM_WORLD, &requests[2]);
  MPI_Isend(&rank, 1, MPI_INT, before, 1, MPI_COMM_WORLD, &requests[3]);
  // A single operation is completed by MPI_Wait, the others here all at once.
  MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
  MPI_Waitall(3, &requests[1], MPI_STATUSES_IGNORE);
  printf("rank %d is between %d and %d\n", rank, from_before, from_behind);
  MPI_Finalize();
  return 0;
}
