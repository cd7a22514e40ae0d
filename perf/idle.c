// SPDX-License-Identifier: BSD-3-Clause
// Idle: the part of a core, in percent, that a rank uses while it waits for a message for seconds, from getrusage. The
// result is the mean of all ranks except the last, which sleeps outside of MPI meanwhile.
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { seconds = 2 };

static double processor_seconds(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

int main(int argc, char** argv) {
  int rank = 0, ranks = 1, word = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  double share = 0, sum = 0;
  for (int i = 0; i < 2; ++i) MPI_Barrier(MPI_COMM_WORLD);
  if (rank == ranks - 1) {
    struct timespec left = {.tv_sec = seconds};
    while (nanosleep(&left, &left) != 0) continue;
    for (int peer = 0; peer < rank; ++peer) MPI_Send(&word, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
  } else {
    const double began = MPI_Wtime(), used = processor_seconds();
    MPI_Recv(&word, 1, MPI_INT, ranks - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    share = 100 * (processor_seconds() - used) / (MPI_Wtime() - began);
  }
  MPI_Reduce(&share, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  if (rank == 0) printf("# library: %.*s\n", (int)strcspn(version, "\n\r"), version);
  if (rank == 0 && ranks > 1) printf("%-16s %8d %12.4f %%\n", "idle", 0, sum / (ranks - 1));
  MPI_Finalize();
  return 0;
}
