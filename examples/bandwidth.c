// SPDX-License-Identifier: BSD-3-Clause
// Bandwidth: rank 0 keeps a window of messages on their way to rank 1, which answers once per window.
//
// Several messages at a time keep the way filled. Before it answers, rank 1 looks at the first and last byte of each.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { window = 16, smallest = 1 << 10, largest = 1 << 20, bytes_per_size = 256 << 20, warm_up = 2 };

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
    const int windows = bytes_per_size / bytes / window;
    double start = 0;
    for (int i = -warm_up; i < windows; ++i) {
      if (i == 0) start = MPI_Wtime();
      damaged += send_window(buffers, bytes, rank, (char)(1 + (i + warm_up) % 64));
    }
    if (rank == 0) printf("%10d  %12.0f\n", bytes, 1e-6 * windows * window * bytes / (MPI_Wtime() - start));
  }
  if (rank == 0 && damaged) fprintf(stderr, "bandwidth: %d messages arrived damaged\n", damaged);

  free(buffers);
  MPI_Finalize();
  return damaged != 0;
}
