// SPDX-License-Identifier: BSD-3-Clause
// Receives messages of unknown length: first their length, then memory for it, then the data.
//
//     mpiexec -n 2 ./probe
//     the first message has 3 numbers
//     the second message has 2 numbers from rank 1, the last one is 20
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  if (rank == 1) {
    const int data[] = {10, 20, 30};
    MPI_Send(data, 3, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Send(data, 2, MPI_INT, 0, 0, MPI_COMM_WORLD);
  }
  if (rank == 0) {
    MPI_Status status;
    int count;
    MPI_Probe(1, 0, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    int* data = malloc((size_t)count * sizeof *data);
    MPI_Recv(data, count, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("the first message has %d numbers\n", count);
    free(data);

    MPI_Message message;  // this way is safe in several threads, too
    MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, MPI_INT, &count);
    data = malloc((size_t)count * sizeof *data);
    MPI_Mrecv(data, count, MPI_INT, &message, MPI_STATUS_IGNORE);
    printf("the second message has %d numbers from rank %d, the last one is %d\n", count, status.MPI_SOURCE,
           data[count - 1]);
    free(data);
  }
  MPI_Finalize();
  return 0;
}
