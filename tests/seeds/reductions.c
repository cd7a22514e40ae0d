// SPDX-License-Identifier: BSD-3-Clause
// Reductions (examples 4.15 to 4.19 and 4.21, 5.17 to 5.19 of the notes): a scalar product, products of a vector and a
// matrix whose rows are distributed, the largest value and its owner, the smallest value with its place. The results
// are small integers, so that no order of summing changes them.
#include <mpi.h>
#include <stdio.h>

enum { m = 4, n = 5, places = 30, length = 1000 };

static const MPI_Comm comm = MPI_COMM_WORLD;
static int rank, size;

// Row `i` of the whole vector and of the whole matrix.
static float a_of(int i) {
  return (float)(i % 3 + 1);
}
static float b_of(int i, int j) {
  return (float)(i + j);
}

static void vector_times_matrix(float* sum) {
  for (int j = 0; j < n; ++j) {
    sum[j] = 0;
    for (int i = 0; i < m; ++i) sum[j] += a_of(rank * m + i) * b_of(rank * m + i, j);
  }
}

static void print(const char* title, const float* values, int count) {
  printf("%d: %s", rank, title);
  for (int i = 0; i < count; ++i) printf(" %g", values[i]);
  printf("\n");
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);

  float part = 0, product = 0, sum[n], result[n];
  for (int i = 0; i < m; ++i) part += a_of(rank * m + i) * b_of(rank * m + i, 0);
  MPI_Reduce(&part, &product, 1, MPI_FLOAT, MPI_SUM, 0, comm);
  if (rank == 0) print("scalar product", &product, 1);

  vector_times_matrix(sum);
  MPI_Reduce(sum, result, n, MPI_FLOAT, MPI_SUM, 0, comm);
  if (rank == 0) print("vector times matrix", result, n);
  MPI_Allreduce(sum, result, n, MPI_FLOAT, MPI_SUM, comm);
  print("vector times matrix", result, n);

  struct {
    double value;
    int rank;
  } in[places], out[places];
  for (int i = 0; i < places; ++i) {
    in[i].value = (rank * 7 + i) % 5;
    in[i].rank = rank;
  }
  const int root = size - 1;
  MPI_Reduce(in, out, places, MPI_DOUBLE_INT, MPI_MAXLOC, root, comm);
  for (int i = 0; rank == root && i < places; ++i) printf("%d: largest %g of %d\n", i, out[i].value, out[i].rank);

  float values[length];
  for (int i = 0; i < length; ++i) values[i] = (float)((i * 13 + rank * 29) % 997 + 10);
  struct {
    float value;
    int index;
  } mine = {values[0], 0}, least;
  for (int i = 1; i < length; ++i) {
    if (values[i] >= mine.value) continue;
    mine.value = values[i];
    mine.index = i;
  }
  mine.index += rank * length;
  MPI_Reduce(&mine, &least, 1, MPI_FLOAT_INT, MPI_MINLOC, root, comm);
  if (rank == root) printf("smallest %g of %d at %d\n", least.value, least.index / length, least.index % length);
  MPI_Finalize();
  return 0;
}
