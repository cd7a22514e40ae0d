// SPDX-License-Identifier: BSD-3-Clause
// Loaded before the MPI library: long blocks of a scatter arrive with one wrong bit, as from a faulty memory or cable.
#include <mpi.h>

int MPI_Scatter(const void* send, int send_count, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type,
                int root, MPI_Comm comm) {
  const int code = PMPI_Scatter(send, send_count, send_type, receive, count, type, root, comm);
  if (count > 1000) ((char*)receive)[count / 2] ^= 4;
  return code;
}
