// SPDX-License-Identifier: BSD-3-Clause
// A grid of 2 by 2 processes: places, neighbours along a dimension, and rows.
//
//     mpiexec -n 4 ./cartesian
//     rank 0 at (0, 0): 2 above and below
//     rank 1 at (0, 1): 3 above and below
//     rank 2 at (1, 0): 0 above and below
//     rank 3 at (1, 1): 1 above and below
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size, rank, above, below, row_rank, dims[2] = {0, 0}, coords[2];
  const int periods[2] = {1, 0};
  MPI_Comm grid, row;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
  MPI_Comm_rank(grid, &rank);  // may be another one than in MPI_COMM_WORLD
  MPI_Cart_coords(grid, rank, 2, coords);
  MPI_Cart_shift(grid, 0, 1, &above, &below);
  int again;
  MPI_Cart_rank(grid, coords, &again);
  if (again == rank && above == below)
    printf("rank %d at (%d, %d): %d above and below\n", rank, coords[0], coords[1], above);

  const int keep[2] = {0, 1};
  MPI_Cart_sub(grid, keep, &row);
  MPI_Comm_rank(row, &row_rank);
  if (row_rank != coords[1]) puts("a row has the order of the grid");
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
