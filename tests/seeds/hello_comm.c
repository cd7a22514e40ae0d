// SPDX-License-Identifier: BSD-3-Clause
// Every other rank sends a greeting to rank 0, which takes them as they come and says how long each one is.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { longest = 100 };

int main(int argc, char* argv[]) {
  int rank, size;
  char text[longest];
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  if (rank != 0) {
    snprintf(text, sizeof text, "Hello world from %d", rank);
    MPI_Send(text, (int)strlen(text) + 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
  for (int others = size - 1; rank == 0 && others > 0; --others) {
    MPI_Status status;
    int length;
    MPI_Recv(text, longest, MPI_CHAR, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_CHAR, &length);
    printf("Message from %d: \"%s\" (len = %d)\n", status.MPI_SOURCE, text, length);
  }
  MPI_Finalize();
  return 0;
}
