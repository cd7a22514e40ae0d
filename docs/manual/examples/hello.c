// SPDX-License-Identifier: BSD-3-Clause
// Says who and where each process is, and which library it runs on.
//
//     mpiexec -n 1 ./hello
//     rank 0 of 1
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, length;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  char host[MPI_MAX_PROCESSOR_NAME], library[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_processor_name(host, &length);
  MPI_Get_library_version(library, &length);
  printf("rank %d of %d\n", rank, size);
  if (argc > 1) printf("on %s with %s\n", host, library);  // ./hello more
  MPI_Finalize();
  return 0;
}
