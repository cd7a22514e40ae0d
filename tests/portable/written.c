/* SPDX-License-Identifier: BSD-3-Clause */
/* Built for each ABI: the ranks write a file together and read what the others have written. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size, sum = 0, length;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File file;
  int opened = MPI_File_open(MPI_COMM_WORLD, argc > 1 ? argv[1] : "written", MPI_MODE_CREATE | MPI_MODE_RDWR,
                             MPI_INFO_NULL, &file);
  if (opened != MPI_SUCCESS) MPI_Abort(MPI_COMM_WORLD, 3);
  const int own = rank + 1;
  MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof own, &own, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  int next = 0;
  MPI_File_read_at_all(file, (rank + 1) % size * (MPI_Offset)sizeof next, &next, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  MPI_Allreduce(&next, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  MPI_Get_library_version(library, &length);
  if (rank == 0) printf("%d ranks have written %d with %.7s\n", size, sum, library);
  MPI_Finalize();
  return 0;
}
