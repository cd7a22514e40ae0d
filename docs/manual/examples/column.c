// SPDX-License-Identifier: BSD-3-Clause
// Sends a column of a matrix, whose elements are not contiguous.
//
//     mpiexec -n 2 ./column
//     rank 1 has received 1 4 7
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  MPI_Datatype column;
  MPI_Type_vector(3, 1, 3, MPI_INT, &column);  // 3 blocks of 1 element, 3 elements apart
  MPI_Type_commit(&column);
  int matrix[3][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}, received[3];
  if (rank == 0) MPI_Send(&matrix[0][1], 1, column, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(received, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank 1 has received %d %d %d\n", received[0], received[1], received[2]);
  }
  MPI_Type_free(&column);
  MPI_Finalize();
  return 0;
}
