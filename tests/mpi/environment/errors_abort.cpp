// SPDX-License-Identifier: BSD-3-Clause
// MPI_ERRORS_ABORT on a communicator of some ranks: these end, and rank 0, which is none of them, goes on. With "part"
// the communicator has all ranks but rank 0, with "self" it is that of rank 1 alone, with "session" there is none.
#include <mpi-ext.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const std::string which = argc > 1 ? argv[1] : "part";
  int rank = 0, size = 0, value = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0 ? 0 : 1, 0, &part);
  if (which == "self") part = MPI_COMM_SELF;
  MPI_Comm_set_errhandler(part, MPI_ERRORS_ABORT);
  if (rank == 1 && which == "session") {
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ABORT, &session);
    MPI_Session_get_pset_info(session, "nowhere", &info);
  } else if (rank == 1) {
    MPI_Send(&value, 1, MPI_INT, 0, -5, part);
  }
  if (rank > 1 && which == "part") MPI_Recv(&value, 1, MPI_INT, 0, 0, part, MPI_STATUS_IGNORE);  // that never comes

  // Only who has not ended comes here.
  int error_class = MPI_SUCCESS;
  MPI_Error_class(MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), &error_class);
  std::printf("rank %d goes on: %s\n", rank, error_class == MPIX_ERR_PROC_FAILED ? "rank 1 has ended" : "a message?");
  MPI_Finalize();
  return EXIT_SUCCESS;
}
