// SPDX-License-Identifier: BSD-3-Clause
// Dot product of two vectors that are spread over the ranks: each rank multiplies its part, MPI_Reduce adds the parts.
//
// With a(i) = i and b(i) = i + 1 for i = 1 ... n the answer is the sum of i*i + i, which is n(n+1)(n+2)/3. All numbers
// on the way are whole and below 2^53, so a double holds them exactly and the answer must match to the last digit.
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  // This rank's part of 1 ... n: as even as n allows.
  const long n = 200000;
  const long first = n * rank / size + 1;
  const long last = n * (rank + 1) / size;

  double mine = 0;
  for (long i = first; i <= last; ++i) {
    const double a = (double)i, b = (double)(i + 1);
    mine += a * b;
  }
  double dot = 0;
  MPI_Reduce(&mine, &dot, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);

  int wrong = 0;
  if (rank == 0) {
    const double expected = (double)n * (n + 1) / 3 * (n + 2);
    wrong = dot != expected;
    printf("dot product of %ld elements over %d ranks: %.0f, expected %.0f: %s\n", n, size, dot, expected,
           wrong ? "WRONG" : "right");
  }
  MPI_Finalize();
  return wrong;
}
