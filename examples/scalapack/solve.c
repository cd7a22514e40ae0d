// SPDX-License-Identifier: BSD-3-Clause
// Solves A x = b with ScaLAPACK, whose matrices are spread over a grid of processes in blocks. The four steps:
// make the grid, spread the matrices, call the driver routine, free the grid.
//
// A is a dense matrix with a large diagonal, and b = A (1, ..., 1), so that x must be (1, ..., 1).
//
// The program itself calls no MPI function: ScaLAPACK does, through BLACS. It runs on Bowline with the ScaLAPACK that a
// distribution has built for another MPI (docs/abi.md).
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 500, block = 32, grid_rows = 2, grid_columns = 2 };

// Fortran routines take all arguments by reference. Lengths of strings follow the other arguments.
void blacs_pinfo_(int* rank, int* size);
void blacs_get_(const int* context, const int* what, int* value);
void blacs_gridinit_(int* context, const char* order, const int* rows, const int* columns, size_t);
void blacs_gridinfo_(const int* context, int* rows, int* columns, int* row, int* column);
void blacs_gridexit_(const int* context);
void blacs_exit_(const int* mpi_goes_on);
int numroc_(const int* size, const int* block, const int* place, const int* first, const int* places);
void descinit_(int* descriptor, const int* rows, const int* columns, const int* row_block, const int* column_block,
               const int* first_row, const int* first_column, const int* context, const int* leading, int* info);
void pdgesv_(const int* n, const int* columns, double* a, const int* ia, const int* ja, const int* descriptor_a,
             int* pivots, double* b, const int* ib, const int* jb, const int* descriptor_b, int* info);
void pdgemv_(const char* transposed, const int* rows, const int* columns, const double* alpha, const double* a,
             const int* ia, const int* ja, const int* descriptor_a, const double* x, const int* ix, const int* jx,
             const int* descriptor_x, const int* step_x, const double* beta, double* y, const int* iy, const int* jy,
             const int* descriptor_y, const int* step_y, size_t);
double pdlange_(const char* norm, const int* rows, const int* columns, const double* a, const int* ia, const int* ja,
                const int* descriptor, double* work, size_t);

static const int zero = 0, one = 1, size = n, nb = block;

static double element(int i, int j) {
  return i == j ? n : sin(i + 2.0 * j);
}

// The global index of a local row or column: blocks are dealt out to the places of the grid in turns.
static int global(int local, int place, int places) {
  return (local / block * places + place) * block + local % block;
}

static int solve(int context, int row, int column) {
  const int rows = numroc_(&size, &nb, &row, &zero, (const int[]){grid_rows});
  const int columns = numroc_(&size, &nb, &column, &zero, (const int[]){grid_columns});
  const int leading = rows > 1 ? rows : 1;
  double* const a = calloc((size_t)leading * (size_t)(columns + 1), sizeof(double));
  double* const factors = calloc((size_t)leading * (size_t)(columns + 1), sizeof(double));
  double* const x = calloc((size_t)leading, sizeof(double));
  double* const b = calloc((size_t)leading, sizeof(double));
  double* const work = calloc((size_t)(rows + columns + 2 * block), sizeof(double));
  int* const pivots = calloc((size_t)(rows + block), sizeof(int));
  int for_matrix[9], for_vector[9], info = 0;
  descinit_(for_matrix, &size, &size, &nb, &nb, &zero, &zero, &context, &leading, &info);
  descinit_(for_vector, &size, &one, &nb, &nb, &zero, &zero, &context, &leading, &info);

  for (int local = 0; local < rows; ++local) {
    const int i = global(local, row, grid_rows);
    for (int j = 0; j < columns; ++j)
      factors[local + j * leading] = a[local + j * leading] = element(i, global(j, column, grid_columns));
    // The right side stands in the first column of the grid.
    for (int j = 0; column == 0 && j < n; ++j) b[local] += element(i, j);
    x[local] = b[local];
  }

  pdgesv_(&size, &one, factors, &one, &one, for_matrix, pivots, x, &one, &one, for_vector, &info);
  double error = 0;
  for (int local = 0; column == 0 && local < rows; ++local) error = fmax(error, fabs(x[local] - 1));

  // b - A x, in relation to what rounding alone makes of it.
  const double norm_a = pdlange_("I", &size, &size, a, &one, &one, for_matrix, work, 1);
  const double norm_x = pdlange_("I", &size, &one, x, &one, &one, for_vector, work, 1);
  pdgemv_("N", &size, &size, (const double[]){-1}, a, &one, &one, for_matrix, x, &one, &one, for_vector, &one,
          (const double[]){1}, b, &one, &one, for_vector, &one, 1);
  const double residual = pdlange_("I", &size, &one, b, &one, &one, for_vector, work, 1);
  const double scaled = residual / (norm_a * norm_x * n * DBL_EPSILON);
  const int good = info == 0 && scaled < 1 && error < 1e-10;
  if (row == 0 && column == 0) {
    printf("A x = b, n = %d, on a %d x %d grid: info = %d, residual |b - A x| / (|A| |x| n eps) = %.2e, %s\n", n,
           grid_rows, grid_columns, info, scaled, good ? "solved" : "WRONG");
  }
  free(a), free(factors), free(x), free(b), free(work), free(pivots);
  return good ? 0 : 1;
}

int main(void) {
  int rank, processes, context, rows, columns, row, column, status = 0;
  blacs_pinfo_(&rank, &processes);
  if (processes < grid_rows * grid_columns) {
    if (rank == 0) fprintf(stderr, "solve: there are %d processes, and the grid needs %d\n", processes, 4);
    blacs_exit_(&zero);
    return 1;
  }
  blacs_get_(&zero, &zero, &context);  // what = 0: the system's default context
  blacs_gridinit_(&context, "Row-major", (const int[]){grid_rows}, (const int[]){grid_columns}, 9);
  blacs_gridinfo_(&context, &rows, &columns, &row, &column);
  if (row >= 0) {  // this process is in the grid
    status = solve(context, row, column);
    blacs_gridexit_(&context);
  }
  blacs_exit_(&zero);
  return status;
}
