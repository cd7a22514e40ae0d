/* SPDX-License-Identifier: BSD-3-Clause */
/* A small profiling tool: counts the calls of MPI_Send and tells the number when the program finalizes MPI. */
#include <mpi.h>
#include <stdio.h>

static int sends = 0;

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
  ++sends;
  return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

int MPI_Finalize(void) {
  printf("MPI_Send was called %d times\n", sends);
  return PMPI_Finalize();
}
