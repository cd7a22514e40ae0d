// SPDX-License-Identifier: BSD-3-Clause
// For a job that may use little memory and needs long rings: sends that have no room for their ring fail with
// MPI_ERR_NO_MEM, and the library goes on; with an argument, errors are fatal. Prints how many sends failed.
#include <cstdio>

#include "check.hpp"

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  if (argc < 2) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int refused = 0;
  for (int peer = 0; peer < check::size; ++peer) {
    if (peer == check::rank) continue;
    const int code = MPI_Send(&refused, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);  // nobody receives it
    if (code == MPI_SUCCESS) continue;
    ++refused;
    int error_class = -1;
    MPI_Error_class(code, &error_class);
    CHECK_EQ(error_class, MPI_ERR_NO_MEM);
  }
  std::printf("rank %d: %d refused\n", check::rank, refused);

  int value = 0;
  MPI_Sendrecv(&check::size, 1, MPI_INT, 0, 1, &value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK_EQ(value, check::size);
  return program.finish();
}
