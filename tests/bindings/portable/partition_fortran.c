/* SPDX-License-Identifier: BSD-3-Clause */
/* Entry points with the names that Fortran compilers look for, every argument an address. */
#include <mpi.h>

static int owner(MPI_Comm comm, const int* starts, int vertex) {
  int size, rank;
  MPI_Comm_size(comm, &size);
  for (rank = 0; rank + 1 < size && starts[rank + 1] <= vertex; ++rank) continue;
  return rank;
}

void partition_owner_(const int* starts, const int* vertex, int* part, MPI_Fint* icomm) {
  MPI_Comm comm = MPI_Comm_f2c(*icomm);
  *part = owner(comm, starts, *vertex);
}

void PARTITION_OWNER(const int* starts, const int* vertex, int* part, MPI_Fint* icomm) {
  partition_owner_(starts, vertex, part, icomm);
}

void partition_wait_(MPI_Fint* irequest, MPI_Fint* istatus, MPI_Fint* ierror) {
  MPI_Request request = MPI_Request_f2c(*irequest);
  MPI_Status status;
  *ierror = (MPI_Fint)MPI_Wait(&request, &status);
  *irequest = MPI_Request_c2f(request);
  if (istatus != MPI_F_STATUS_IGNORE) MPI_Status_c2f(&status, istatus);
}
