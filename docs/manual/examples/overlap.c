// SPDX-License-Identifier: BSD-3-Clause
// Computes while a message is under way, and asks now and then whether it has arrived.
//
//     mpiexec -n 2 ./overlap
//     rank 1 has received 42 and has computed
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  if (rank == 0) {
    const int number = 42;
    MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  } else {
    int number, arrived = 0;
    double sum = 0;
    MPI_Request request;
    MPI_Irecv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    while (!arrived) {
      for (int i = 1; i <= 1000; ++i) sum += 1.0 / i;
      MPI_Test(&request, &arrived, MPI_STATUS_IGNORE);
    }
    printf("rank 1 has received %d and has %s\n", number, sum > 0 ? "computed" : "not computed");
  }
  MPI_Finalize();
  return 0;
}
