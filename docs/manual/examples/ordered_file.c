// SPDX-License-Identifier: BSD-3-Clause
// Each process writes a line; the lines follow each other in the order of ranks.
//
//     mpiexec -n 3 ./ordered_file
//     the file has 33 bytes
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, "lines.txt", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                    MPI_INFO_NULL, &file) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  char line[32];
  const int length = snprintf(line, sizeof line, "I am rank %d", rank);
  MPI_File_write_ordered(file, line, length, MPI_CHAR, MPI_STATUS_IGNORE);
  MPI_Offset bytes;
  MPI_File_get_size(file, &bytes);
  MPI_File_close(&file);
  if (rank == 2) printf("the file has %lld bytes\n", (long long)bytes);
  MPI_Finalize();
  return 0;
}
