// SPDX-License-Identifier: BSD-3-Clause
// Two threads of each process exchange messages, each on a communicator of its own.
//
//     mpiexec -n 2 ./threads
//     rank 0 has received 10 and 11
//     rank 1 has received 0 and 1
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

static int rank;

typedef struct {
  MPI_Comm comm;
  int number, received;
} Work;

static void* exchange(void* argument) {
  Work* work = argument;
  work->number += 10 * rank;
  MPI_Sendrecv(&work->number, 1, MPI_INT, 1 - rank, 0, &work->received, 1, MPI_INT, 1 - rank, 0, work->comm,
               MPI_STATUS_IGNORE);
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided < MPI_THREAD_MULTIPLE) MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Work works[2];
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) {
    works[i].number = i;
    MPI_Comm_dup(MPI_COMM_WORLD, &works[i].comm);
  }
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, exchange, &works[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  printf("rank %d has received %d and %d\n", rank, works[0].received, works[1].received);
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&works[i].comm);
  MPI_Finalize();
  return 0;
}
