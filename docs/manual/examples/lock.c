// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 reads from the memory of rank 0, which calls nothing for it.
//
//     mpiexec -n 2 ./lock
//     rank 1 has read 42
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  int* memory;
  MPI_Win win;
  MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);  // stores to its own memory need a lock, too
  *memory = 42 + rank;
  MPI_Win_unlock(rank, win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) {
    int number;
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    MPI_Get(&number, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
    MPI_Win_unlock(0, win);  // only now the number is here
    printf("rank 1 has read %d\n", number);
  }
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
