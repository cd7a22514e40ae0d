// SPDX-License-Identifier: BSD-3-Clause
// Matrix times vector, c = A b: the columns of A and the elements of b are spread over the ranks. Each rank multiplies
// its columns into a vector of its own; MPI_Allreduce adds these vectors and gives the answer to every rank.
//
// With A(i, j) = i - j and b(j) = j for i = 1 ... m, j = 1 ... n the answer is
// c(i) = i * sum of j - sum of j*j = i n(n+1)/2 - n(n+1)(2n+1)/6, a whole number that a double holds exactly.
#include <mpi.h>
#include <stdio.h>

enum { m = 500, n = 1200 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  // This rank's columns.
  const int first = n * rank / size + 1;
  const int last = n * (rank + 1) / size;

  static double mine[m], c[m];
  for (int i = 1; i <= m; ++i) {
    for (int j = first; j <= last; ++j) mine[i - 1] += (double)(i - j) * (double)j;
  }
  MPI_Allreduce(mine, c, m, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);

  // Every rank looks at its copy; the largest count of wrong elements is everyone's result.
  int wrong = 0, worst = 0;
  for (int i = 1; i <= m; ++i) {
    const long expected = (long)i * n * (n + 1) / 2 - (long)n * (n + 1) * (2 * n + 1) / 6;
    if (c[i - 1] != (double)expected) ++wrong;
  }
  MPI_Allreduce(&wrong, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    printf("matrix(%d x %d) x vector(%d): %d of %d elements right on every one of %d ranks\n", m, n, n, m - worst, m,
           size);
  }
  MPI_Finalize();
  return worst != 0;
}
