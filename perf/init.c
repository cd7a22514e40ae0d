// SPDX-License-Identifier: BSD-3-Clause
// Start-up: the shortest possible MPI program. perf/compare times the whole job, including the launcher.
#include <mpi.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Finalize();
  return 0;
}
