// SPDX-License-Identifier: BSD-3-Clause
// Allreduce: time of one MPI_Allreduce that adds floats. Sizes are rounded down to whole floats.
#include "bench.h"

typedef struct Vectors {
  float* mine;
  float* sum;
} Vectors;

static void allreduces(const Bench* bench, void* context, size_t bytes, int iterations) {
  (void)bench;
  const Vectors* vectors = context;
  const int count = (int)(bytes / sizeof(float));
  for (int i = 0; i < iterations; ++i) {
    MPI_Allreduce(vectors->mine, vectors->sum, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  }
}

int main(int argc, char** argv) {
  const Bench bench = bench_init(&argc, &argv, "allreduce", 0, (BenchSizes){sizeof(float), 1 << 20, 2});
  const size_t largest = bench_largest(&bench);
  Vectors vectors = {.mine = bench_buffer(largest), .sum = bench_buffer(largest)};
  for (size_t i = 0; i < largest / sizeof(float); ++i) vectors.mine[i] = 1.0F;
  bench_points(&bench, allreduces, &vectors, bench_microseconds, "us");
  free(vectors.mine);
  free(vectors.sum);
  MPI_Finalize();
  return 0;
}
