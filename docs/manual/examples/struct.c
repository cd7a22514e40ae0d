// SPDX-License-Identifier: BSD-3-Clause
// Sends an array of structs.
//
//     mpiexec -n 2 ./struct
//     rank 1 has received (1, 0.5) and (2, 1.5)
#include <mpi.h>
#include <stdio.h>

typedef struct {
  int number;
  double value;
} Pair;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  Pair pairs[2] = {{1, 0.5}, {2, 1.5}};
  MPI_Aint begin, places[2], bound, extent;
  MPI_Get_address(&pairs[0], &begin);
  MPI_Get_address(&pairs[0].number, &places[0]);
  MPI_Get_address(&pairs[0].value, &places[1]);
  for (int i = 0; i < 2; ++i) places[i] = MPI_Aint_diff(places[i], begin);
  const int lengths[] = {1, 1};
  const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE};
  MPI_Datatype fields, pair;
  MPI_Type_create_struct(2, lengths, places, types, &fields);
  MPI_Type_create_resized(fields, 0, sizeof(Pair), &pair);  // the distance from one element to the next
  MPI_Type_commit(&pair);
  MPI_Type_get_extent(pair, &bound, &extent);
  if (extent != (MPI_Aint)sizeof(Pair)) puts("the extent is that of the struct");
  if (rank == 0) MPI_Send(pairs, 2, pair, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) {
    MPI_Recv(pairs, 2, pair, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("rank 1 has received (%d, %.1f) and (%d, %.1f)\n", pairs[0].number, pairs[0].value, pairs[1].number,
           pairs[1].value);
  }
  MPI_Type_free(&pair);
  MPI_Type_free(&fields);
  MPI_Finalize();
  return 0;
}
