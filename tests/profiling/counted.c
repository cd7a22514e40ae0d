/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls functions of MPI a known number of times (counts_test.py), some by their names with P. */
#include <mpi.h>
#include <stddef.h>

static int calls_of_operator;

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  ++calls_of_operator;
  for (int i = 0; i < *count; ++i) ((int*)inout)[i] += ((int*)in)[i];
}

int main(int argc, char** argv) {
  int rank, ranks, key, flag, given[4] = {1, 2, 3, 4}, got[4], sum[4];
  void* value;
  MPI_Request requests[2];
  MPI_Op op;
  MPI_Comm copy;
  MPI_Datatype pairs;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
  for (int i = 0; i < 3; ++i) {
    MPI_Irecv(got, 4, MPI_INT, before, i, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(given, 4, MPI_INT, next, i, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  }
  PMPI_Irecv(got, 4, MPI_INT, before, 9, MPI_COMM_WORLD, &requests[0]);
  PMPI_Send(given, 4, MPI_INT, next, 9, MPI_COMM_WORLD);
  PMPI_Wait(&requests[0], MPI_STATUS_IGNORE);

  /* What a library may do by means of other functions of MPI. */
  MPI_Op_create(add, 1, &op);
  MPI_Allreduce(given, sum, 4, MPI_INT, op, MPI_COMM_WORLD);
  MPI_Op_free(&op);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, &rank);
  MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &flag);
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Comm_free(&copy);
  MPI_Type_vector(2, 1, 2, MPI_INT, &pairs);
  MPI_Type_commit(&pairs);
  MPI_Sendrecv(given, 1, pairs, next, 5, got, 1, pairs, before, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Type_free(&pairs);
  MPI_Finalize();
  return calls_of_operator > 0 && got[2] == 3 && *(int*)value == rank ? 0 : 1;
}
