// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 knows two numbers and tells them to all; the second one travels while they print the first.
//
//     mpiexec -n 3 ./broadcast
//     rank 0 knows 5
//     rank 1 knows 5
//     rank 2 knows 5
//     rank 2 knows 7, too
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  int number = rank == 0 ? 5 : 0;
  MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Request request;
  int second = rank == 0 ? 7 : 0;
  MPI_Ibcast(&second, 1, MPI_INT, 0, MPI_COMM_WORLD, &request);
  printf("rank %d knows %d\n", rank, number);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 2) printf("rank 2 knows %d, too\n", second);
  MPI_Finalize();
  return 0;
}
