// SPDX-License-Identifier: BSD-3-Clause
// Latency: two ranks play ping-pong. Half of a round trip is what one message costs on its way.
//
// Every message is looked at when it comes back: its first and last byte must be those that this round sent.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { largest = 1 << 20, warm_up = 100, most_rounds = 10000 };

// One round trip as seen by this rank; returns 1 if the message came back damaged.
static int ping_pong(char* buffer, int bytes, int rank, char mark) {
  if (rank == 0) {
    buffer[0] = buffer[bytes - 1] = mark;
    MPI_Send(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    buffer[0] = buffer[bytes - 1] = 0;
    MPI_Recv(buffer, bytes, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return buffer[0] != mark || buffer[bytes - 1] != mark;
  }
  MPI_Recv(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Send(buffer, bytes, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  return 0;
}

// That many round trips; returns the seconds they took and adds to the count of damaged messages.
static double play(char* buffer, int bytes, int rank, int rounds, int* damaged) {
  const double start = MPI_Wtime();
  for (int round = 0; round < rounds; ++round) *damaged += ping_pong(buffer, bytes, rank, (char)(1 + round % 100));
  return MPI_Wtime() - start;
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
    // The warm-up tells how many rounds fit into a tenth of a second; rank 1 learns the number from rank 0.
    double rounds = 0.1 / play(buffer, bytes, rank, warm_up, &damaged) * warm_up;
    MPI_Bcast(&rounds, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (rounds > most_rounds) rounds = most_rounds;
    if (rounds < 1) rounds = 1;
    const double seconds = play(buffer, bytes, rank, (int)rounds, &damaged);
    if (rank == 0) printf("%10d  %12.2f\n", bytes, seconds / (int)rounds / 2 * 1e6);
  }
  if (damaged) fprintf(stderr, "latency: %d messages came back damaged\n", damaged);

  free(buffer);
  MPI_Finalize();
  return damaged != 0;
}
