// SPDX-License-Identifier: BSD-3-Clause
// Each process writes a number to its place in a common file, and reads that of the next one.
//
//     mpiexec -n 3 ./file_at_all
//     rank 0 has read 100
//     rank 1 has read 200
//     rank 2 has read 0
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, "numbers.bin", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                    MPI_INFO_NULL, &file) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  const int mine = 100 * rank;
  int others = -1;
  const MPI_Offset next = (rank + 1) % size;
  // Offsets are bytes, because no view was set.
  MPI_File_write_at_all(file, rank * (MPI_Offset)sizeof mine, &mine, 1, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_sync(file);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_File_sync(file);
  MPI_File_read_at_all(file, next * (MPI_Offset)sizeof others, &others, 1, MPI_INT, MPI_STATUS_IGNORE);
  printf("rank %d has read %d\n", rank, others);
  MPI_File_close(&file);
  MPI_Finalize();
  return 0;
}
