/* SPDX-License-Identifier: BSD-3-Clause */
/* init_only [late]: starts MPI and ends it. With "late" rank 1 ends it after half a second, in which the others leave:
   no result depends on the time, but a shorter one would let fewer faults show. */
#include <mpi.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const int late = argc > 1;
  int rank = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (late && rank == 1) usleep(500000);
  return MPI_Finalize();
}
