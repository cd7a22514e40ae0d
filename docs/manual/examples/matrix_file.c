// SPDX-License-Identifier: BSD-3-Clause
// Two processes write the halves of a matrix, column by column, into one file and read them back.
//
//     mpiexec -n 2 ./matrix_file
//     rank 0 has read 0 1 10 11
//     rank 1 has read 2 3 12 13
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  const int whole[] = {2, 4}, part[] = {2, 2}, begin[] = {0, 2 * rank};
  MPI_Datatype half;
  MPI_Type_create_subarray(2, whole, part, begin, MPI_ORDER_C, MPI_INT, &half);
  MPI_Type_commit(&half);

  MPI_File file;
  if (MPI_File_open(MPI_COMM_WORLD, "matrix.bin", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                    MPI_INFO_NULL, &file) != MPI_SUCCESS)
    MPI_Abort(MPI_COMM_WORLD, 1);
  MPI_File_set_view(file, 0, MPI_INT, half, "native", MPI_INFO_NULL);
  int mine[2][2], read[2][2];
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) mine[i][j] = 10 * i + 2 * rank + j;
  }
  MPI_File_write_all(file, mine, 4, MPI_INT, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, read, 4, MPI_INT, MPI_STATUS_IGNORE);
  printf("rank %d has read %d %d %d %d\n", rank, read[0][0], read[0][1], read[1][0], read[1][1]);
  MPI_File_close(&file);
  MPI_Type_free(&half);
  MPI_Finalize();
  return 0;
}
