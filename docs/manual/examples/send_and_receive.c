// SPDX-License-Identifier: BSD-3-Clause
// A number goes from rank 0 to rank 1.
//
//     mpiexec -n 2 ./send_and_receive
//     rank 1 has received 42 from rank 0
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  int number = 42;
  if (rank == 0) MPI_Send(&number, 1, MPI_INT, 1, 7, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Status status;
    MPI_Recv(&number, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, &status);
    printf("rank %d has received %d from rank %d\n", rank, number, status.MPI_SOURCE);
  }
  MPI_Finalize();
  return 0;
}
