// SPDX-License-Identifier: BSD-3-Clause
// Each process writes its rank into the memory of the next one, then all add theirs at rank 0.
//
//     mpiexec -n 3 ./put
//     rank 0 holds 2
//     rank 1 holds 0
//     rank 2 holds 1
//     rank 0 holds 5 in the end
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  int* memory;
  MPI_Win win;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_fence(MPI_MODE_NOPRECEDE, win);
  MPI_Put(&rank, 1, MPI_INT, (rank + 1) % size, 0, 1, MPI_INT, win);
  MPI_Win_fence(0, win);  // from here on all puts have arrived
  printf("rank %d holds %d\n", rank, *memory);
  MPI_Win_fence(0, win);
  MPI_Accumulate(&rank, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, win);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  if (rank == 0) printf("rank 0 holds %d in the end\n", *memory);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
