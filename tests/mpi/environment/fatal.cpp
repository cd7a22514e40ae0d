// SPDX-License-Identifier: BSD-3-Clause
// A bad rank under the initial error handler, MPI_ERRORS_ARE_FATAL: the job must end with words that name the mistake.
#include <mpi.h>

#include <cstdlib>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) MPI_Send(&value, 1, MPI_INT, 4711, 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return EXIT_SUCCESS;  // not reached: rank 0 ends the job
}
