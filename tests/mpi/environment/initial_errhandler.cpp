// SPDX-License-Identifier: BSD-3-Clause
// Makes one wrong call before MPI_Init and one after it, and prints what they return.
#include <mpi.h>

#include <cstdio>

int main(int argc, char** argv) {
  int size = -1;
  if (argc > 1) std::printf("before MPI_Init: %d\n", MPI_Comm_size(MPI_COMM_WORLD, &size));
  MPI_Init(&argc, &argv);
  MPI_Errhandler handler;
  MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler);
  const char* const name = handler == MPI_ERRORS_RETURN  ? "MPI_ERRORS_RETURN"
                           : handler == MPI_ERRORS_ABORT ? "MPI_ERRORS_ABORT"
                                                         : "MPI_ERRORS_ARE_FATAL";
  std::printf("%s\n", name);
  int length = MPI_MAX_INFO_VAL, known = 0;
  char value[MPI_MAX_INFO_VAL];
  MPI_Info_get_string(MPI_INFO_ENV, "mpi_initial_errhandler", &length, value, &known);
  std::printf("in MPI_INFO_ENV: %s\n", known != 0 ? value : "nothing");
  std::fflush(stdout);
  std::printf("after MPI_Init: %d\n", MPI_Comm_size(MPI_COMM_NULL, &size));
  MPI_Finalize();
  return 0;
}
