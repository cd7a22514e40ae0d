// SPDX-License-Identifier: BSD-3-Clause
// Start-up: the shortest MPI program there is. perf/compare times the whole job, launcher included.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
