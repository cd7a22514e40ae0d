// SPDX-License-Identifier: BSD-3-Clause
// A distributed matrix in a file: each rank has a block of it, describes with a subarray where that block lies in the
// file, and writes or reads it together with the others. The file contains the whole matrix, row by row, so any number
// of ranks can read what another number has written.
//
//   mpiexec -n 4 ./matrix_file write FILE
//   mpiexec -n 6 ./matrix_file read FILE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { rows = 24, columns = 30 };

static double element(int row, int column) {
  return (double)row * columns + column;
}

// Functions of files return errors, unless the program wants otherwise (MPI_File_set_errhandler).
static void check(int code) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  fprintf(stderr, "%s\n", text);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int writes = argc == 3 && strcmp(argv[1], "write") == 0;
  if (!writes && (argc != 3 || strcmp(argv[1], "read") != 0)) {
    if (rank == 0) fprintf(stderr, "usage: matrix_file write|read FILE\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }

  // This rank's block: its first row and column, and how many it has.
  int grid[2] = {0, 0};
  MPI_Dims_create(size, 2, grid);
  const int whole[2] = {rows, columns}, place[2] = {rank / grid[1], rank % grid[1]};
  int first[2], length[2];
  for (int i = 0; i < 2; ++i) {
    first[i] = whole[i] * place[i] / grid[i];
    length[i] = whole[i] * (place[i] + 1) / grid[i] - first[i];
  }
  const int count = length[0] * length[1];
  double* const block = calloc((size_t)count + 1, sizeof(double));
  for (int i = 0; writes && i < count; ++i) block[i] = element(first[0] + i / length[1], first[1] + i % length[1]);

  // Where it lies in the file. With more ranks than rows or columns, some have nothing.
  MPI_Datatype part;
  if (count > 0) {
    MPI_Type_create_subarray(2, whole, length, first, MPI_ORDER_C, MPI_DOUBLE, &part);
  } else {
    MPI_Type_contiguous(0, MPI_DOUBLE, &part);
  }
  MPI_Type_commit(&part);

  MPI_File file;
  MPI_Status status;
  const int mode = writes ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY;
  check(MPI_File_open(MPI_COMM_WORLD, argv[2], mode, MPI_INFO_NULL, &file));
  check(MPI_File_set_view(file, 0, MPI_DOUBLE, part, "native", MPI_INFO_NULL));
  check(writes ? MPI_File_write_all(file, block, count, MPI_DOUBLE, &status)
               : MPI_File_read_all(file, block, count, MPI_DOUBLE, &status));
  check(MPI_File_close(&file));

  // Every rank looks at its block; the largest count of wrong elements is everyone's result.
  int moved, wrong, worst = 0;
  MPI_Get_count(&status, MPI_DOUBLE, &moved);
  wrong = moved != count;
  for (int i = 0; i < count; ++i) wrong += block[i] != element(first[0] + i / length[1], first[1] + i % length[1]);
  MPI_Allreduce(&wrong, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("%d ranks (%d x %d) have %s the %d x %d matrix%s\n", size, grid[0], grid[1], writes ? "written" : "read",
           rows, columns, worst == 0 ? "" : ": some elements are wrong");
  }
  free(block);
  MPI_Type_free(&part);
  MPI_Finalize();
  return worst != 0;
}
