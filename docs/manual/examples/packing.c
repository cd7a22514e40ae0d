// SPDX-License-Identifier: BSD-3-Clause
// Packs a number and a text into one message.
//
//     mpiexec -n 2 ./packing
//     rank 1 has received 3 and abc
#include <mpi.h>
#include <stdio.h>

#define ROOM 64

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  char buffer[ROOM], text[8] = "abc";
  int number = 3, place = 0, length;
  MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &length);
  if (length > ROOM) MPI_Abort(MPI_COMM_WORLD, 1);
  if (rank == 0) {
    MPI_Pack(&number, 1, MPI_INT, buffer, ROOM, &place, MPI_COMM_WORLD);
    MPI_Pack(text, 4, MPI_CHAR, buffer, ROOM, &place, MPI_COMM_WORLD);
    MPI_Send(buffer, place, MPI_PACKED, 1, 0, MPI_COMM_WORLD);  // place is the length now
  } else {
    MPI_Recv(buffer, ROOM, MPI_PACKED, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Unpack(buffer, ROOM, &place, &number, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Unpack(buffer, ROOM, &place, text, 4, MPI_CHAR, MPI_COMM_WORLD);
    printf("rank 1 has received %d and %s\n", number, text);
  }
  MPI_Finalize();
  return 0;
}
