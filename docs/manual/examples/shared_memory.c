// SPDX-License-Identifier: BSD-3-Clause
// The processes of a node share an array, each has a part of it.
//
//     mpiexec -n 2 ./shared_memory
//     rank 1 reads 100 from the part of rank 0
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank;
  MPI_Comm_rank(node, &rank);

  int *mine, *first, unit;
  MPI_Win win;
  MPI_Aint bytes;
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &mine, &win);
  MPI_Win_shared_query(win, 0, &bytes, &unit, &first);  // where rank 0's part is in this process

  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  *mine = 100 + rank;
  MPI_Win_sync(win);  // what was stored comes before what follows
  MPI_Barrier(node);
  MPI_Win_sync(win);
  if (rank == 1) printf("rank 1 reads %d from the part of rank 0\n", *first);
  MPI_Win_unlock_all(win);

  MPI_Win_free(&win);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return 0;
}
