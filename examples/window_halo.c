// SPDX-License-Identifier: BSD-3-Clause
// Heat in a rod whose ends are kept at 0 and 1. The rod is divided among the ranks; before each step a rank puts its
// outermost values into the halos of its neighbours with MPI_Put. Only neighbours synchronize: MPI_Win_post says that
// the halo may be written, MPI_Win_wait that it has been.
//
// The rod settles at a straight line, which is known, so the result is checked.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  // cells[0] and cells[n + 1] are the halo, or the ends of the rod.
  const int n = 8;
  double* cells;
  MPI_Win win;
  MPI_Win_allocate((n + 2) * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &cells, &win);
  for (int i = 0; i < n + 2; ++i) cells[i] = 0;
  if (rank == size - 1) cells[n + 1] = 1;

  // The neighbours, as the group with which this rank synchronizes.
  int ranks[2], neighbours = 0;
  if (rank > 0) ranks[neighbours++] = rank - 1;
  if (rank < size - 1) ranks[neighbours++] = rank + 1;
  MPI_Group all, near;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, neighbours, ranks, &near);

  const int steps = 40 * n * size * size;
  double* next = malloc((size_t)n * sizeof *next);
  for (int step = 0; step < steps; ++step) {
    MPI_Win_post(near, 0, win);
    MPI_Win_start(near, 0, win);
    if (rank > 0) MPI_Put(&cells[1], 1, MPI_DOUBLE, rank - 1, n + 1, 1, MPI_DOUBLE, win);
    if (rank < size - 1) MPI_Put(&cells[n], 1, MPI_DOUBLE, rank + 1, 0, 1, MPI_DOUBLE, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    for (int i = 0; i < n; ++i) next[i] = (cells[i] + cells[i + 2]) / 2;
    for (int i = 0; i < n; ++i) cells[i + 1] = next[i];
  }

  double error = 0;
  for (int i = 1; i <= n; ++i) {
    const double expected = (double)(rank * n + i) / (n * size + 1);
    error = fmax(error, fabs(cells[i] - expected));
  }
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  const int wrong = !(error < 1e-3);
  if (rank == 0)
    printf("halo: after %d steps on %d ranks the temperatures differ from a straight line by %.1e: %s\n", steps, size,
           error, wrong ? "WRONG" : "right");
  free(next);
  MPI_Group_free(&near);
  MPI_Group_free(&all);
  MPI_Win_free(&win);
  MPI_Finalize();
  return wrong;
}
