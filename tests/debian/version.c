// SPDX-License-Identifier: BSD-3-Clause
// The library that the program runs with, which need not be the one that it was built with.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char* argv[]) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Init(&argc, &argv);
  MPI_Get_library_version(version, &length);
  puts(version);
  return MPI_Finalize();
}
