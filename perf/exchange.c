// SPDX-License-Identifier: BSD-3-Clause
// Exchange: each rank posts a receive from every other rank and a send to it, then waits for all of them. The result is
// the time of the slowest rank.
#include "bench.h"

typedef struct Buffers {
  char* out;
  char* in;
  MPI_Request* requests;
} Buffers;

static void exchanges(const Bench* bench, void* context, size_t bytes, int iterations) {
  const Buffers* buffers = context;
  const int count = (int)bytes;
  for (int i = 0; i < iterations; ++i) {
    int under_way = 0;
    for (int step = 1; step < bench->ranks; ++step) {
      const int source = (bench->rank + bench->ranks - step) % bench->ranks;
      char* in = buffers->in + (size_t)source * bytes;
      MPI_Irecv(in, count, MPI_BYTE, source, 1, MPI_COMM_WORLD, &buffers->requests[under_way++]);
    }
    for (int step = 1; step < bench->ranks; ++step) {
      const int dest = (bench->rank + step) % bench->ranks;
      MPI_Isend(buffers->out, count, MPI_BYTE, dest, 1, MPI_COMM_WORLD, &buffers->requests[under_way++]);
    }
    MPI_Waitall(under_way, buffers->requests, MPI_STATUSES_IGNORE);
  }
}

int main(int argc, char** argv) {
  Bench bench = bench_init(&argc, &argv, "exchange", 0, (BenchSizes){1 << 10, 16 << 10, 16});
  bench.slowest_rank = 1;
  const size_t largest = bench_largest(&bench);
  const size_t ranks = (size_t)bench.ranks;
  Buffers buffers = {bench_buffer(largest), bench_buffer(largest * ranks),
                     bench_buffer(2 * ranks * sizeof(MPI_Request))};
  bench_points(&bench, exchanges, &buffers, bench_microseconds, "us");
  free(buffers.out);
  free(buffers.in);
  free(buffers.requests);
  MPI_Finalize();
  return 0;
}
