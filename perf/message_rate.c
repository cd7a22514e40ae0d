// SPDX-License-Identifier: BSD-3-Clause
// Message rate: rank 0 sends windows of messages of 1, 8 and 64 bytes to rank 1, which replies to each window with an
// empty message.
#include "bench.h"

typedef struct Window {
  char* buffer;
  MPI_Request requests[bench_window];
} Window;

static void send_window(const Bench* bench, void* context, size_t bytes, int iterations) {
  Window* window = context;
  const int count = (int)bytes;
  for (int i = 0; i < iterations; ++i) {
    if (bench->rank == 0) {
      for (int k = 0; k < bench_window; ++k) {
        MPI_Isend(window->buffer, count, MPI_BYTE, 1, 1, MPI_COMM_WORLD, &window->requests[k]);
      }
      MPI_Waitall(bench_window, window->requests, MPI_STATUSES_IGNORE);
      MPI_Recv(NULL, 0, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      for (int k = 0; k < bench_window; ++k) {
        MPI_Irecv(window->buffer + (size_t)k * bytes, count, MPI_BYTE, 0, 1, MPI_COMM_WORLD, &window->requests[k]);
      }
      MPI_Waitall(bench_window, window->requests, MPI_STATUSES_IGNORE);
      MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    }
  }
}

static double million_messages_per_second(size_t bytes, double seconds) {
  (void)bytes;
  return bench_window / seconds * 1e-6;
}

int main(int argc, char** argv) {
  const Bench bench = bench_init(&argc, &argv, "message_rate", 2, (BenchSizes){1, 64, 8});
  Window window = {.buffer = bench_buffer(bench_largest(&bench) * bench_window)};
  bench_points(&bench, send_window, &window, million_messages_per_second, "M/s");
  free(window.buffer);
  MPI_Finalize();
  return 0;
}
