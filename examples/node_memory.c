// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a node share one table in memory instead of keeping a copy each. Every rank computes its part of the
// table and then reads all of it with ordinary loads; no message is sent.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank, size;
  MPI_Comm_rank(node, &rank);
  MPI_Comm_size(node, &size);

  // Rank 0 of the node provides the memory, and MPI_Win_shared_query tells the others where they find it.
  const int length = 100000;
  long* table;
  MPI_Win win;
  MPI_Win_allocate_shared(rank == 0 ? length * (MPI_Aint)sizeof(long) : 0, sizeof(long), MPI_INFO_NULL, node, &table,
                          &win);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(win, 0, &bytes, &unit, &table);

  // A fence before and after the stores: all ranks then see them.
  MPI_Win_fence(0, win);
  for (int i = rank; i < length; i += size) table[i] = (long)i * i;
  MPI_Win_fence(0, win);

  int wrong = 0;
  for (int i = 0; i < length; ++i) wrong += table[i] != (long)i * i;
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, node);
  if (rank == 0)
    printf("node memory: %d ranks of this node share a table of %ld bytes: %s\n", size, (long)bytes,
           wrong ? "WRONG" : "right");
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  MPI_Win_free(&win);
  MPI_Comm_free(&node);
  MPI_Finalize();
  return wrong != 0;
}
