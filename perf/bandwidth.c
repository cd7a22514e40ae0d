// SPDX-License-Identifier: BSD-3-Clause
// Bandwidth: rank 0 sends a window of messages to rank 1, which sends a short one back when all have arrived. Each
// message of a window has its own receive buffer, because MPI does not allow pending receives to share a buffer.
#include "bench.h"

typedef struct Window {
  char* buffer;
  MPI_Request requests[bench_window];
} Window;

static void send_window(const Bench* bench, void* context, size_t bytes, int iterations) {
  Window* window = context;
  const int count = (int)bytes;
  char answer = 0;
  for (int i = 0; i < iterations; ++i) {
    if (bench->rank == 0) {
      for (int k = 0; k < bench_window; ++k) {
        MPI_Isend(window->buffer, count, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &window->requests[k]);
      }
      MPI_Waitall(bench_window, window->requests, MPI_STATUSES_IGNORE);
      MPI_Recv(&answer, 1, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      for (int k = 0; k < bench_window; ++k) {
        MPI_Irecv(window->buffer + (size_t)k * bytes, count, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &window->requests[k]);
      }
      MPI_Waitall(bench_window, window->requests, MPI_STATUSES_IGNORE);
      MPI_Send(&answer, 1, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    }
  }
}

static double megabytes_per_second(size_t bytes, double seconds) {
  return (double)bytes * bench_window / seconds * 1e-6;
}

int main(int argc, char** argv) {
  const Bench bench = bench_init(&argc, &argv, "bandwidth", 2, (BenchSizes){1, 4 << 20, 2});
  Window window = {.buffer = bench_buffer(bench_largest(&bench) * (bench.rank == 0 ? 1 : bench_window))};
  bench_points(&bench, send_window, &window, megabytes_per_second, "MB/s");
  free(window.buffer);
  MPI_Finalize();
  return 0;
}
