// SPDX-License-Identifier: BSD-3-Clause
// Barrier: time of one MPI_Barrier in a row of many. It has no size: its one line says 0 bytes.
#include "bench.h"

static void barriers(const Bench* bench, void* context, size_t bytes, int iterations) {
  (void)bench, (void)context, (void)bytes;
  for (int i = 0; i < iterations; ++i) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  Bench bench = bench_init(&argc, &argv, "barrier", 0, (BenchSizes){1, 1, 2});
  bench.sizes[0] = 0;
  bench.size_count = 1;
  bench_points(&bench, barriers, NULL, bench_microseconds, "us");
  MPI_Finalize();
  return 0;
}
