// SPDX-License-Identifier: BSD-3-Clause
// A correct program without one outcome (example 4.25 of the notes): rank 1 receives from anybody before and after a
// broadcast; rank 0 sends after the broadcast, rank 2 before it. The broadcast need not synchronize, so that rank 1 may
// get rank 0's message first. Prints whose messages came in which order, once per round.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(comm, &rank);
  for (int round = 0; round < 100; ++round) {
    int news = rank == 0 ? round : -1, first = -1, second = -1;
    if (rank == 0) {
      MPI_Bcast(&news, 1, MPI_INT, 0, comm);
      MPI_Send(&rank, 1, MPI_INT, 1, round, comm);
    } else if (rank == 1) {
      MPI_Recv(&first, 1, MPI_INT, MPI_ANY_SOURCE, round, comm, MPI_STATUS_IGNORE);
      MPI_Bcast(&news, 1, MPI_INT, 0, comm);
      MPI_Recv(&second, 1, MPI_INT, MPI_ANY_SOURCE, round, comm, MPI_STATUS_IGNORE);
      printf("%d then %d\n", first, second);
    } else {
      MPI_Send(&rank, 1, MPI_INT, 1, round, comm);
      MPI_Bcast(&news, 1, MPI_INT, 0, comm);
    }
    if (news != round) printf("%d: the broadcast brought %d instead of %d\n", rank, news, round);
  }
  MPI_Finalize();
  return 0;
}
