/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks for C programs that are compiled with the mpi.h of any MPI. */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int check_rank, check_size, check_made, check_failed;

#define CHECK(condition) check_that((condition) != 0, #condition, __FILE__, __LINE__)
#define CHECK_EQ(a, b) check_equal((long long)(a), (long long)(b), #a, #b, __FILE__, __LINE__)
#define OK(call) CHECK_EQ(call, MPI_SUCCESS)

static inline void check_that(int holds, const char* what, const char* file, int line) {
  ++check_made;
  if (holds) return;
  ++check_failed;
  fprintf(stderr, "%s:%d: rank %d: %s does not hold\n", file, line, check_rank, what);
}

static inline void check_equal(long long a, long long b, const char* left, const char* right, const char* file,
                               int line) {
  ++check_made;
  if (a == b) return;
  ++check_failed;
  fprintf(stderr, "%s:%d: rank %d: %s is %lld, but %s is %lld\n", file, line, check_rank, left, a, right, b);
}

/* The class of an error code. */
static inline int class_of(int code) {
  int class = -1;
  MPI_Error_class(code, &class);
  return class;
}

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &check_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &check_size);
}

/* The exit status of the program. Rank 0 says that all is well, so that a test sees that the program came so far. */
static inline int finish(void) {
  int here[2], all[2];
  here[0] = check_failed;
  here[1] = check_made;
  MPI_Allreduce(here, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  if (check_rank == 0 && all[0] == 0 && all[1] > 0) printf("%d checks hold\n", all[1]);
  return all[0] == 0 && check_made > 0 ? 0 : 1;
}

#endif
