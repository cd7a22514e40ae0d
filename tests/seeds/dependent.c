// SPDX-License-Identifier: BSD-3-Clause
// Two wrong programs, which end only if broadcasts do not synchronize (examples 4.23 and 4.24 of the notes; 4.22 is in
// tests/mpi/collectives/mismatch.cpp, because it can be reported). The argument says which:
//   cycle    three processes and three communicators of two: each broadcast waits for the one before it elsewhere
//   message  the root sends after the broadcast what the other process waits for before it
// Each process says when it begins, and what it got if it comes to the end.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

// The communicator of two processes of the world; the first is its root. MPI_COMM_NULL for others.
static MPI_Comm pair(int rank, int root, int other) {
  MPI_Comm comm = MPI_COMM_NULL;
  if (rank != root && rank != other) return comm;
  const int members[] = {root, other};
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, members, &group);
  MPI_Comm_create_group(MPI_COMM_WORLD, group, root, &comm);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return comm;
}

static void begin(int rank) {
  printf("%d begins\n", rank);
  fflush(stdout);
}

static void cycle(int rank, int* given, int* got) {
  MPI_Comm pairs[3];
  for (int root = 0; root < 3; ++root) pairs[root] = pair(rank, root, (root + 1) % 3);
  begin(rank);
  MPI_Bcast(given, 1, MPI_INT, 0, pairs[rank]);
  MPI_Bcast(got, 1, MPI_INT, 0, pairs[(rank + 2) % 3]);
  MPI_Comm_free(&pairs[rank]);
  MPI_Comm_free(&pairs[(rank + 2) % 3]);
}

static void message(int rank, int* first, int* second) {
  begin(rank);
  if (rank == 0) {
    MPI_Bcast(first, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Send(second, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(second, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(first, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int one = rank + 10, two = rank + 20;
  if (argc > 1 && strcmp(argv[1], "cycle") == 0)
    cycle(rank, &one, &two);
  else
    message(rank, &one, &two);
  printf("%d ends with %d and %d\n", rank, one, two);
  MPI_Finalize();
  return 0;
}
