// SPDX-License-Identifier: BSD-3-Clause
// Vector times matrix, c = a B: the rows of B and the elements of a are spread over the ranks. Each rank multiplies its
// rows into a vector of its own, MPI_Reduce adds these vectors element by element, and rank 0 has the answer.
//
// With a(i) = i and B(i, j) = i + j for i = 1 ... m, j = 1 ... n the answer is
// c(j) = sum of i*i + j * sum of i = m(m+1)(2m+1)/6 + j m(m+1)/2, a whole number that a double holds exactly.
#include <mpi.h>
#include <stdio.h>

enum { m = 1200, n = 500 };

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  // This rank's rows.
  const int first = m * rank / size + 1;
  const int last = m * (rank + 1) / size;

  static double mine[n], c[n];
  for (int j = 1; j <= n; ++j) {
    for (int i = first; i <= last; ++i) mine[j - 1] += (double)i * (double)(i + j);
  }
  MPI_Reduce(mine, c, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);

  int wrong = 0;
  if (rank == 0) {
    for (int j = 1; j <= n; ++j) {
      const long expected = (long)m * (m + 1) * (2 * m + 1) / 6 + (long)j * m * (m + 1) / 2;
      if (c[j - 1] != (double)expected) ++wrong;
    }
    printf("vector(%d) x matrix(%d x %d) over %d ranks: %d of %d elements right\n", m, m, n, size, n - wrong, n);
  }
  MPI_Finalize();
  return wrong != 0;
}
