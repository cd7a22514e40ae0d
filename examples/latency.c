// SPDX-License-Identifier: BSD-3-Clause
// Latency: two ranks play ping-pong. Half of a round trip is what one message costs on its way.
//
// Every message is looked at when it comes back: its first and last byte must be those that this round sent.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { largest = 1 << 20, warm_up = 100 };

static int rounds_for(int bytes) {
  return bytes <= 4096 ? 10000 : 10000 / (bytes / 4096);
}

// One round trip as seen by this rank; returns 1 if the message came back as it was sent.
static int ping_pong(char* buffer, int bytes, int rank, char mark) {
  if (rank == 0) {
    buffer[0] = buffer[bytes - 1] = mark;
    MPI_Send(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    buffer[0] = buffer[bytes - 1] = 0;
    MPI_Recv(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return buffer[0] == mark && buffer[bytes - 1] == mark;
  }
  MPI_Recv(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  return 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    if (rank == 0) fprintf(stderr, "latency: started with %d ranks, needs 2: mpiexec -n 2 latency\n", size);
    MPI_Finalize();
    return 2;
  }

  char* buffer = calloc(largest, 1);
  int damaged = 0;
  if (rank == 0) printf("%10s  %12s\n", "bytes", "one way, us");
  for (int bytes = 1; bytes <= largest; bytes *= 4) {
    const int rounds = rounds_for(bytes);
    double start = 0;
    for (int round = -warm_up; round < rounds; ++round) {
      if (round == 0) start = MPI_Wtime();
      // Never 0, which stands for "nothing arrived".
      if (!ping_pong(buffer, bytes, rank, (char)(1 + (round + warm_up) % 100))) ++damaged;
    }
    if (rank == 0) printf("%10d  %12.2f\n", bytes, (MPI_Wtime() - start) / rounds / 2 * 1e6);
  }
  if (damaged) fprintf(stderr, "latency: %d messages came back damaged\n", damaged);

  free(buffer);
  MPI_Finalize();
  return damaged != 0;
}
