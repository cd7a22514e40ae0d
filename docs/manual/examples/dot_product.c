// SPDX-License-Identifier: BSD-3-Clause
// Adds products of all processes: first at rank 0, then at all of them, then without waiting.
//
//     mpiexec -n 3 ./dot_product
//     rank 0 has the sum 5
//     rank 2 has the sum 5
//     rank 1 has the sum 5
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  const double x = rank, y = rank, mine = x * y;
  double sum = 0;
  MPI_Reduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("rank 0 has the sum %.0f\n", sum);
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 2) printf("rank 2 has the sum %.0f\n", sum);
  MPI_Request request;
  MPI_Iallreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
  // What needs no sum is computed here.
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) printf("rank 1 has the sum %.0f\n", sum);
  MPI_Finalize();
  return 0;
}
