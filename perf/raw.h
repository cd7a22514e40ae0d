// SPDX-License-Identifier: BSD-3-Clause
// Common code of the programs that measure the machine itself, without MPI. Each figure is the median of the same
// number of batches.
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { batches = 15 };

static inline _Noreturn void fail(const char* program, const char* what) {
  fprintf(stderr, "%s: %s failed: %s\n", program, what, strerror(errno));
  exit(1);
}

static inline double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline int ascending(const void* left, const void* right) {
  const double a = *(const double*)left;
  const double b = *(const double*)right;
  return (a > b) - (a < b);
}

// `values`, one for each batch, are sorted.
static inline void print_point(const char* name, size_t bytes, double* values, const char* unit) {
  qsort(values, batches, sizeof *values, ascending);
  printf("%-12s %8zu %12.3f %-5s  (%.3f to %.3f in %d batches)\n", name, bytes, values[batches / 2], unit, values[0],
         values[batches - 1], batches);
}
