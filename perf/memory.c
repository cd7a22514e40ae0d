// SPDX-License-Identifier: BSD-3-Clause
// Memory: the resident memory of an idle rank that has only called MPI_Init, in KiB, from /proc/self/status; the mean
// of the ranks. Compiled with -DBOWLINE_WITHOUT_MPI it is the same program without MPI, for comparison.
#define _GNU_SOURCE
#ifndef BOWLINE_WITHOUT_MPI
#include <mpi.h>
#endif
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { kinds = 4 };
static const char* const fields[kinds] = {"VmRSS:", "RssAnon:", "RssFile:", "RssShmem:"};
static const char* const names[kinds] = {"memory", "memory_anon", "memory_file", "memory_shmem"};

// The four figures, in KiB; -1 where the kernel does not say.
static void read_status(long kib[kinds]) {
  char line[256];
  FILE* status = fopen("/proc/self/status", "r");
  for (int k = 0; k < kinds; ++k) kib[k] = -1;
  while (status != NULL && fgets(line, sizeof line, status) != NULL) {
    for (int k = 0; k < kinds; ++k) {
      if (strncmp(line, fields[k], strlen(fields[k])) == 0) sscanf(line + strlen(fields[k]), "%ld", &kib[k]);
    }
  }
  if (status != NULL) fclose(status);
}

int main(int argc, char** argv) {
  long kib[kinds];
  int rank = 0;
  read_status(kib);  // so that what reading costs is resident in every case
  (void)argc, (void)argv;
#ifndef BOWLINE_WITHOUT_MPI
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
  nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);  // threads that the library started come to rest
  read_status(kib);
#ifndef BOWLINE_WITHOUT_MPI
  long sum[kinds] = {0};
  int ranks = 1;
  MPI_Reduce(kib, sum, kinds, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int k = 0; k < kinds; ++k) kib[k] = sum[k] / ranks;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  if (rank == 0) printf("# library: %.*s\n", (int)strcspn(version, "\n\r"), version);
#endif
  for (int k = 0; k < kinds && rank == 0; ++k) printf("%-16s %8d %12ld KiB\n", names[k], 0, kib[k]);
#ifndef BOWLINE_WITHOUT_MPI
  MPI_Finalize();
#endif
  return 0;
}
