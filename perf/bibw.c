// SPDX-License-Identifier: BSD-3-Clause
// Bidirectional bandwidth: two ranks send a window of messages to each other; the bytes of both directions count. Each
// message of a window has its own receive buffer, because MPI does not allow pending receives to share a buffer.
#include "bench.h"

typedef struct Windows {
  char* out;
  char* in;
  MPI_Request requests[2 * bench_window];
} Windows;

static void exchange_windows(const Bench* bench, void* context, size_t bytes, int iterations) {
  Windows* windows = context;
  const int peer = 1 - bench->rank;
  const int count = (int)bytes;
  for (int i = 0; i < iterations; ++i) {
    MPI_Request* request = windows->requests;
    for (int k = 0; k < bench_window; ++k, ++request) {
      MPI_Irecv(windows->in + (size_t)k * bytes, count, MPI_BYTE, peer, 1, MPI_COMM_WORLD, request);
    }
    for (int k = 0; k < bench_window; ++k, ++request) {
      MPI_Isend(windows->out, count, MPI_BYTE, peer, 1, MPI_COMM_WORLD, request);
    }
    MPI_Waitall(2 * bench_window, windows->requests, MPI_STATUSES_IGNORE);
  }
}

static double megabytes_per_second(size_t bytes, double seconds) {
  return 2.0 * (double)bytes * bench_window / seconds * 1e-6;
}

int main(int argc, char** argv) {
  const Bench bench = bench_init(&argc, &argv, "bibw", 2, (BenchSizes){1, 4 << 20, 2});
  const size_t largest = bench_largest(&bench);
  Windows windows = {.out = bench_buffer(largest), .in = bench_buffer(largest * bench_window)};
  bench_points(&bench, exchange_windows, &windows, megabytes_per_second, "MB/s");
  free(windows.out);
  free(windows.in);
  MPI_Finalize();
  return 0;
}
