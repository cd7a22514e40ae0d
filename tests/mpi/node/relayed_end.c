// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 ends as the argument says, without the others: "abort" (MPI_Abort with 9) or "leave" (exit with 0, without
// MPI_Finalize).
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1 && argc > 1 && strcmp(argv[1], "abort") == 0) MPI_Abort(MPI_COMM_WORLD, 9);
  if (rank == 1) exit(0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
