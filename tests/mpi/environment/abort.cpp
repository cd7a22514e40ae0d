// SPDX-License-Identifier: BSD-3-Clause
// MPI_Abort from the last rank with the code given as first argument, while the others wait for a message that never
// comes. With a second argument, that rank aborts a copy of MPI_COMM_WORLD, which has no name.
#include <mpi.h>

#include <cstdlib>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, size = 0, never = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm aborted = MPI_COMM_WORLD;
  if (argc > 2) MPI_Comm_dup(MPI_COMM_WORLD, &aborted);
  if (rank == size - 1) MPI_Abort(aborted, argc > 1 ? std::atoi(argv[1]) : 1);
  MPI_Recv(&never, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Finalize();
  return EXIT_SUCCESS;  // not reached: the message is never sent
}
