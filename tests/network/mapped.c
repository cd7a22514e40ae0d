// SPDX-License-Identifier: BSD-3-Clause
// Whether UCX is mapped into a process that has talked to its peers must be as the argument says: yes or no.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int ucx_is_mapped(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int found = 0;
  if (maps == NULL) return -1;
  while (fgets(line, sizeof line, maps) != NULL) found = found || strstr(line, "/libuc") != NULL;
  fclose(maps);
  return found;
}

int main(int argc, char** argv) {
  int rank = 0, size = 0, sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  const int wanted = argc > 1 && strcmp(argv[1], "yes") == 0;
  const int found = ucx_is_mapped();
  const int right = sum == size * (size - 1) / 2 && found == wanted;
  if (!right) fprintf(stderr, "rank %d: UCX is mapped: %d, wanted: %d; the sum is %d\n", rank, found, wanted, sum);
  MPI_Finalize();
  return right ? 0 : 1;
}
