// SPDX-License-Identifier: BSD-3-Clause
// The product of complex numbers by an operator of the user (examples 4.20 and 5.20 of the notes): each rank has an
// array of a hundred numbers, and the root prints the products, one for each position.
//
// The number of rank r at position i is (1 + i mod 3) + (r mod 2) i, so that the products can be worked out anew.
#include <mpi.h>
#include <stdio.h>

enum { length = 100 };

typedef struct {
  double real, imag;
} Complex;

static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  const Complex* left = in;
  Complex* right = inout;
  (void)type;
  for (int i = 0; i < *count; ++i) {
    const Complex product = {left[i].real * right[i].real - left[i].imag * right[i].imag,
                             left[i].real * right[i].imag + left[i].imag * right[i].real};
    right[i] = product;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Complex mine[length], answer[length];
  for (int i = 0; i < length; ++i) mine[i] = (Complex){1 + i % 3, rank % 2};

  MPI_Datatype complex_type;
  MPI_Type_contiguous(2, MPI_DOUBLE, &complex_type);
  MPI_Type_commit(&complex_type);
  MPI_Op complex_product;
  MPI_Op_create(multiply, 1, &complex_product);
  const int root = 0;
  MPI_Reduce(mine, answer, length, complex_type, complex_product, root, MPI_COMM_WORLD);
  if (rank == root) {
    for (int i = 0; i < length; ++i) printf("%g %g\n", answer[i].real, answer[i].imag);
  }
  MPI_Op_free(&complex_product);
  MPI_Type_free(&complex_type);
  MPI_Finalize();
  return 0;
}
