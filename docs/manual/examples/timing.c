// SPDX-License-Identifier: BSD-3-Clause
// Times a part that all processes carry out together: the slowest one counts.
//
//     mpiexec -n 2 ./timing
//     the sum is 12.09; the slowest process took less than a minute
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  MPI_Barrier(MPI_COMM_WORLD);  // all begin together
  const double begin = MPI_Wtime();
  double sum = 0;
  for (int i = 1; i < 100000; ++i) sum += 1.0 / i;
  const double mine = MPI_Wtime() - begin;
  double slowest;
  MPI_Reduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  const char* const length = slowest < 60 ? "less" : "more";
  if (rank == 0) printf("the sum is %.2f; the slowest process took %s than a minute\n", sum, length);
  MPI_Finalize();
  return 0;
}
