// SPDX-License-Identifier: BSD-3-Clause
// Broadcast: time of one MPI_Bcast. Each broadcast starts at a rank that has just received the one before, so that no
// root can run ahead of the others; going round downwards makes that rank a far leaf of the usual trees.
#include "bench.h"

static void broadcasts(const Bench* bench, void* buffer, size_t bytes, int iterations) {
  int root = 0;
  for (int i = 0; i < iterations; ++i) {
    MPI_Bcast(buffer, (int)bytes, MPI_BYTE, root, MPI_COMM_WORLD);
    root = root == 0 ? bench->ranks - 1 : root - 1;
  }
}

int main(int argc, char** argv) {
  const Bench bench = bench_init(&argc, &argv, "bcast", 0, (BenchSizes){1, 1 << 20, 2});
  void* buffer = bench_buffer(bench_largest(&bench));
  bench_points(&bench, broadcasts, buffer, bench_microseconds, "us");
  free(buffer);
  MPI_Finalize();
  return 0;
}
