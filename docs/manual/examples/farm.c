// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 gives out work and takes results in the order in which they come.
//
//     mpiexec -n 3 ./farm
//     all 2 workers have answered, the sum is 5
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  if (rank > 0) {
    const int result = rank * rank;
    MPI_Send(&result, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  } else {
    int results[64], sum = 0, index;
    MPI_Request requests[64];
    for (int i = 1; i < size; ++i) MPI_Irecv(&results[i - 1], 1, MPI_INT, i, 0, MPI_COMM_WORLD, &requests[i - 1]);
    for (int i = 1; i < size; ++i) {
      MPI_Waitany(size - 1, requests, &index, MPI_STATUS_IGNORE);
      sum += results[index];
    }
    printf("all %d workers have answered, the sum is %d\n", size - 1, sum);
  }
  MPI_Finalize();
  return 0;
}
