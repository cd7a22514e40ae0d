// SPDX-License-Identifier: BSD-3-Clause
// Each process sends as many numbers to rank j as that one's rank says, and one more.
//
//     mpiexec -n 3 ./alltoallv
//     rank 0 has 0 1 2
//     rank 1 has 0 0 1 1 2 2
//     rank 2 has 0 0 0 1 1 1 2 2 2
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  int data[64], received[64], sendcounts[8], recvcounts[8], sdispls[8], rdispls[8], total = 0;
  for (int j = 0; j < size; ++j) {
    sendcounts[j] = j + 1;
    sdispls[j] = 0;  // the same numbers for all
  }
  for (int i = 0; i < size; ++i) data[i] = rank;
  MPI_Alltoall(sendcounts, 1, MPI_INT, recvcounts, 1, MPI_INT, MPI_COMM_WORLD);  // what will come
  for (int i = 0; i < size; ++i) {
    rdispls[i] = total;
    total += recvcounts[i];
  }
  MPI_Alltoallv(data, sendcounts, sdispls, MPI_INT, received, recvcounts, rdispls, MPI_INT, MPI_COMM_WORLD);
  char line[128];
  int length = snprintf(line, sizeof line, "rank %d has", rank);
  for (int i = 0; i < total; ++i) length += snprintf(line + length, sizeof line - (size_t)length, " %d", received[i]);
  puts(line);
  MPI_Finalize();
  return 0;
}
