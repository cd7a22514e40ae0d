// SPDX-License-Identifier: BSD-3-Clause
// No rank can connect to another one (node/unmapped_rings.cpp). Collective calls fail at every rank, where some waited
// for ever: a rank that cannot send fails at once, and the others when it has ended.
#include "check.hpp"

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const double one = 1;
  double sum = 0;
  CHECK(MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS);
  void* base = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  CHECK(MPI_Win_allocate(8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &window) != MPI_SUCCESS);
  CHECK(window == MPI_WIN_NULL);
  return program.finish();
}
