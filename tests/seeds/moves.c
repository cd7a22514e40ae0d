// SPDX-License-Identifier: BSD-3-Clause
// Broadcast, gather, scatter and allgather (examples 4.1 to 4.14 of the notes): blocks of a hundred integers, columns
// of a matrix, strides, and lengths that the root has to ask for. Each process prints what it found wrong; the root
// prints each example that it has seen.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { block = 100, rows = 100, columns = 150, most = 8, stride = 120 };

static const MPI_Comm comm = MPI_COMM_WORLD;
static int rank, size, wrong;
static int matrix[rows][columns];
static int gathered[most * stride * 2];
static int counts[most], displs[most];

static void expect(const char* example, int found, int expected) {
  if (found == expected) return;
  if (wrong++ < 5) printf("%d: example %s: %d instead of %d\n", rank, example, found, expected);
}

static void seen(const char* example) {
  if (rank == 0) printf("example %s\n", example);
}

// What stands in row i of the column that is process r's own.
static int value(int r, int i) {
  return 1000 * r + i;
}

static void fill_matrix(void) {
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) matrix[i][j] = -1;
    matrix[i][rank] = value(rank, i);
  }
}

static void forget(int* data, int length) {
  for (int i = 0; i < length; ++i) data[i] = -7;
}

// The root has `counts[r]` values of each process at `displs[r]`, and nothing else.
static void expect_gathered(const char* example) {
  int end = 0;
  for (int r = 0; r < size; ++r) {
    for (int i = 0; i < counts[r]; ++i) expect(example, gathered[displs[r] + i], value(r, i));
    for (; end < displs[r]; ++end) expect(example, gathered[end], -7);
    end = displs[r] + counts[r];
  }
}

static MPI_Datatype committed(MPI_Datatype type) {
  MPI_Type_commit(&type);
  return type;
}

// A column of so many rows; and one integer that is followed by the one in the next row.
static MPI_Datatype column(int length) {
  MPI_Datatype type;
  MPI_Type_vector(length, 1, columns, MPI_INT, &type);
  return committed(type);
}
static MPI_Datatype one_per_row(void) {
  MPI_Datatype type;
  MPI_Type_create_resized(MPI_INT, 0, columns * (MPI_Aint)sizeof(int), &type);
  return committed(type);
}

static void gatherv(const char* example, const void* from, int count, MPI_Datatype type, int root) {
  forget(gathered, most * stride * 2);
  MPI_Gatherv(from, count, type, gathered, counts, displs, MPI_INT, root, comm);
  if (rank == root) expect_gathered(example);
  if (type != MPI_INT) MPI_Type_free(&type);
  seen(example);
}

static void place(int falling, int distance) {
  for (int r = 0; r < size; ++r) {
    counts[r] = falling ? block - r : block;
    displs[r] = r == 0 ? 0 : displs[r - 1] + distance + (distance == stride ? 0 : r);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int root = size - 1;
  int own[block], array[block];
  for (int i = 0; i < block; ++i) own[i] = value(rank, i);

  for (int i = 0; i < block; ++i) array[i] = rank == 0 ? value(5, i) : 0;
  MPI_Bcast(array, block, MPI_INT, 0, comm);
  for (int i = 0; i < block; ++i) expect("4.1", array[i], value(5, i));
  seen("4.1");

  place(0, block);
  for (int r = 0; r < size; ++r) displs[r] = r * block;
  MPI_Gather(own, block, MPI_INT, gathered, block, MPI_INT, root, comm);
  if (rank == root) expect_gathered("4.2");
  seen("4.2");
  // Only the root has memory for what is gathered.
  int* room = rank == root ? malloc((size_t)size * block * sizeof(int)) : NULL;
  MPI_Gather(own, block, MPI_INT, room, block, MPI_INT, root, comm);
  for (int i = 0; rank == root && i < size * block; ++i) expect("4.3", room[i], value(i / block, i % block));
  free(room);
  seen("4.3");
  MPI_Datatype hundred;
  MPI_Type_contiguous(block, MPI_INT, &hundred);
  hundred = committed(hundred);
  forget(gathered, size * block);
  MPI_Gather(own, block, MPI_INT, gathered, 1, hundred, root, comm);
  if (rank == root) expect_gathered("4.4");
  MPI_Type_free(&hundred);
  seen("4.4");

  fill_matrix();
  place(0, stride);
  gatherv("4.5", own, block, MPI_INT, root);
  gatherv("4.6", &matrix[0][rank], 1, column(rows), root);
  place(1, stride);
  gatherv("4.7", &matrix[0][rank], 1, column(rows - rank), root);
  gatherv("4.8", &matrix[0][rank], rows - rank, one_per_row(), root);
  place(1, block + 3);  // the distances grow
  gatherv("4.9", &matrix[0][rank], 1, column(rows - rank), root);
  // The root does not know how many each has, and asks first.
  const int mine = (rank * 37 + 11) % rows;
  MPI_Gather(&mine, 1, MPI_INT, counts, 1, MPI_INT, root, comm);
  for (int r = 1; r < size; ++r) displs[r] = displs[r - 1] + counts[r - 1];
  gatherv("4.10", &matrix[0][rank], mine, one_per_row(), root);

  int sent[most * stride];
  for (int i = 0; i < size * block; ++i) sent[i] = value(i / block, i % block);
  forget(array, block);
  MPI_Scatter(sent, block, MPI_INT, array, block, MPI_INT, root, comm);
  for (int i = 0; i < block; ++i) expect("4.11", array[i], value(rank, i));
  seen("4.11");
  place(0, stride);
  for (int i = 0; i < size * stride; ++i) sent[i] = value(i / stride, i % stride);
  forget(array, block);
  MPI_Scatterv(sent, counts, displs, MPI_INT, array, block, MPI_INT, root, comm);
  for (int i = 0; i < block; ++i) expect("4.12", array[i], value(rank, i));
  seen("4.12");
  place(1, stride);
  forget(&matrix[0][0], rows * columns);
  MPI_Datatype mine_alone = column(rows - rank);
  MPI_Scatterv(sent, counts, displs, MPI_INT, &matrix[0][rank], 1, mine_alone, root, comm);
  MPI_Type_free(&mine_alone);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j) expect("4.13", matrix[i][j], j == rank && i < rows - rank ? value(rank, i) : -7);
  }
  seen("4.13");

  forget(gathered, size * block);
  MPI_Allgather(own, block, MPI_INT, gathered, block, MPI_INT, comm);
  for (int i = 0; i < size * block; ++i) expect("4.14", gathered[i], value(i / block, i % block));
  seen("4.14");
  MPI_Finalize();
  return wrong > 0;
}
