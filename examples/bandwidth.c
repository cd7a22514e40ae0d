// SPDX-License-Identifier: BSD-3-Clause
// Bandwidth: rank 0 keeps a window of messages on their way to rank 1, which answers once per window.
//
// Several messages at a time keep the way filled. Before it answers, rank 1 looks at the first and last byte of each.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { window = 16, smallest = 1 << 10, largest = 1 << 20, warm_up = 4, most_windows = 1000 };

// One window from rank 0 to rank 1; returns how many of its messages arrived damaged (known to rank 1, told to rank 0).
static int send_window(char* buffers, int bytes, int rank, char mark) {
  MPI_Request requests[window];
  int damaged = 0;
  for (int i = 0; i < window; ++i) {
    char* buffer = buffers + (size_t)i * (size_t)bytes;
    buffer[0] = buffer[bytes - 1] = (char)(rank == 0 ? mark + i : 0);
    if (rank == 0) MPI_Isend(buffer, bytes, MPI_CHAR, 1, i, MPI_COMM_WORLD, &requests[i]);
    if (rank == 1) MPI_Irecv(buffer, bytes, MPI_CHAR, 0, i, MPI_COMM_WORLD, &requests[i]);
  }
  MPI_Waitall(window, requests, MPI_STATUSES_IGNORE);

  if (rank == 0) {
    MPI_Recv(&damaged, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    for (int i = 0; i < window; ++i) {
      const char* buffer = buffers + (size_t)i * (size_t)bytes;
      if (buffer[0] != (char)(mark + i) || buffer[bytes - 1] != (char)(mark + i)) ++damaged;
    }
    MPI_Send(&damaged, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  return damaged;
}

// That many windows; returns the seconds they took and adds to the count of damaged messages.
static double send_windows(char* buffers, int bytes, int rank, int windows, int* damaged) {
  const double start = MPI_Wtime();
  for (int i = 0; i < windows; ++i) *damaged += send_window(buffers, bytes, rank, (char)(1 + i % 64));
  return MPI_Wtime() - start;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "bandwidth: started with %d ranks, needs 2: mpiexec -n 2 bandwidth\n", size);
    MPI_Finalize();
    return 2;
  }

  char* buffers = calloc(window, largest);
  int damaged = 0;
  if (rank == 0) printf("%10s  %12s\n", "bytes", "MB/s");
  for (int bytes = smallest; bytes <= largest; bytes *= 4) {
    // The warm-up tells how many windows fit into a tenth of a second; rank 1 learns the number from rank 0.
    double windows = 0.1 / send_windows(buffers, bytes, rank, warm_up, &damaged) * warm_up;
    MPI_Bcast(&windows, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (windows > most_windows) windows = most_windows;
    if (windows < 1) windows = 1;
    const double seconds = send_windows(buffers, bytes, rank, (int)windows, &damaged);
    if (rank == 0) printf("%10d  %12.0f\n", bytes, 1e-6 * (int)windows * window * bytes / seconds);
  }
  if (rank == 0 && damaged) fprintf(stderr, "bandwidth: %d messages arrived damaged\n", damaged);

  free(buffers);
  MPI_Finalize();
  return damaged != 0;
}
