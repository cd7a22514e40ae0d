// SPDX-License-Identifier: BSD-3-Clause
// Latency: half of the round-trip time of one message that two ranks send back and forth. With more than two ranks,
// each even rank does so with the next rank, all pairs at once; the result is that of the slowest pair.
#include "bench.h"

static void ping_pong(const Bench* bench, void* buffer, size_t bytes, int iterations) {
  const int peer = bench->rank ^ 1;
  const int count = (int)bytes;
  for (int i = 0; i < iterations; ++i) {
    if (bench->rank < peer) {
      MPI_Send(buffer, count, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
      MPI_Recv(buffer, count, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, count, MPI_BYTE, peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, count, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    }
  }
}

static double one_way_microseconds(size_t bytes, double round_trip) {
  return 0.5 * bench_microseconds(bytes, round_trip);
}

int main(int argc, char** argv) {
  Bench bench = bench_init(&argc, &argv, "latency", 0, (BenchSizes){1, 4 << 20, 2});
  if (bench.ranks % 2 != 0) bench_usage_error(&bench, "needs an even number of ranks (mpiexec -n 2)", "");
  bench.slowest_rank = bench.ranks > 2;
  void* buffer = bench_buffer(bench_largest(&bench));
  bench_points(&bench, ping_pong, buffer, one_way_microseconds, "us");
  free(buffer);
  MPI_Finalize();
  return 0;
}
