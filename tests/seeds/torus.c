/* SPDX-License-Identifier: BSD-3-Clause */
/* A grid that is periodic in its first dimension only: each process prints its coordinates and its neighbours, and
 * those of each row add up their ranks. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int size, rank, dims[2] = {0, 0}, periods[2] = {1, 0}, coords[2], up, down, left, right, sum;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Dims_create(size, 2, dims);
  MPI_Comm grid, row;
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, coords);
  MPI_Cart_shift(grid, 0, 1, &up, &down);
  MPI_Cart_shift(grid, 1, 1, &left, &right);
  const int remain[2] = {0, 1};
  MPI_Cart_sub(grid, remain, &row);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, row);
  printf("(%d,%d) of %dx%d: up %d down %d left %d right %d row %d\n", coords[0], coords[1], dims[0], dims[1], up, down,
         left == MPI_PROC_NULL ? -1 : left, right == MPI_PROC_NULL ? -1 : right, sum);
  MPI_Comm_free(&row);
  MPI_Comm_free(&grid);
  MPI_Finalize();
  return 0;
}
