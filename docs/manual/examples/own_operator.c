// SPDX-License-Identifier: BSD-3-Clause
// Multiplies complex numbers of all processes: an operator that MPI does not have.
//
//     mpiexec -n 2 ./own_operator
//     the product is 0 + 2i
#include <mpi.h>
#include <stdio.h>

typedef struct {
  double re, im;
} Complex;

// inout[i] = in[i] * inout[i]
static void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  const Complex* a = in;
  Complex* b = inout;
  for (int i = 0; i < *length; ++i) {
    const Complex product = {a[i].re * b[i].re - a[i].im * b[i].im, a[i].re * b[i].im + a[i].im * b[i].re};
    b[i] = product;
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  MPI_Datatype type;
  MPI_Op op;
  MPI_Type_contiguous(2, MPI_DOUBLE, &type);
  MPI_Type_commit(&type);
  MPI_Op_create(multiply, 1, &op);
  const Complex mine = {1, 1};
  Complex product;
  MPI_Reduce(&mine, &product, 1, type, op, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("the product is %.0f + %.0fi\n", product.re, product.im);
  MPI_Op_free(&op);
  MPI_Type_free(&type);
  MPI_Finalize();
  return 0;
}
