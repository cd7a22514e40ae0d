// SPDX-License-Identifier: BSD-3-Clause
// What is mapped into a process that has talked to its peers must be as the argument says: UCX and no memory of
// collectives ("yes"), or that memory, and neither UCX nor libibverbs ("no"). In shared memory nobody wakes a rank that
// sleeps at a network only.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int is_mapped(const char* word) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int found = 0;
  if (maps == NULL) return -1;
  while (fgets(line, sizeof line, maps) != NULL) found = found || strstr(line, word) != NULL;
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
  const int ucx = is_mapped("/libuc"), slots = is_mapped("bowline-slots");
  const int verbs = is_mapped("/libibverbs");
  const int right =
      sum == size * (size - 1) / 2 && ucx == wanted && (wanted || !verbs) && slots == (!wanted && size > 1);
  if (!right)
    fprintf(stderr,
            "rank %d: UCX is mapped: %d, libibverbs: %d, wanted: %d; memory of collectives: %d; the sum is %d\n", rank,
            ucx, verbs, wanted, slots, sum);
  MPI_Finalize();
  return right ? 0 : 1;
}
