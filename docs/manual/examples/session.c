// SPDX-License-Identifier: BSD-3-Clause
// Uses MPI without MPI_COMM_WORLD, as a library would.
//
//     mpiexec -n 2 ./session
//     rank 0 of 2
//     rank 1 of 2
#include <mpi.h>
#include <stdio.h>

int main(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "org.example.session", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  printf("rank %d of %d\n", rank, size);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
  return 0;
}
