// SPDX-License-Identifier: BSD-3-Clause
// Latency: half of the round trip of one message that two ranks send back and forth.
#include "bench.h"

static void ping_pong(const Bench* bench, void* buffer, size_t bytes, int iterations) {
  const int peer = 1 - bench->rank;
  const int count = (int)bytes;
  for (int i = 0; i < iterations; ++i) {
    if (bench->rank == 0) {
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
  const Bench bench = bench_init(&argc, &argv, "latency", 2, 1, 4 << 20);
  void* buffer = bench_buffer(bench_largest(&bench));
  bench_points(&bench, ping_pong, buffer, one_way_microseconds, "us");
  free(buffer);
  MPI_Finalize();
  return 0;
}
