// SPDX-License-Identifier: BSD-3-Clause
// A message is sent in four partitions, which become ready one by one.
//
//     mpiexec -n 2 ./partitioned
//     the partitions hold 0 10 20 30
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  enum { partitions = 4 };
  int data[partitions];
  MPI_Request request;
  if (rank == 0) {
    MPI_Psend_init(data, partitions, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    for (int i = 0; i < partitions; ++i) {  // threads could do this, each for its own partitions
      data[i] = 10 * i;
      MPI_Pready(i, request);
    }
  } else {
    MPI_Precv_init(data, partitions, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    int first = 0;
    while (!first) MPI_Parrived(request, 0, &first);  // partition 0 may be used from here on
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (rank == 1) printf("the partitions hold %d %d %d %d\n", data[0], data[1], data[2], data[3]);
  MPI_Request_free(&request);
  MPI_Finalize();
  return 0;
}
