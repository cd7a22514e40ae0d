// SPDX-License-Identifier: BSD-3-Clause
// Makes a communicator of the even ranks, which alone call for it.
//
//     mpiexec -n 3 ./groups
//     rank 2 of the world is rank 1 of the even ones
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  MPI_Group world, even;
  const int ranks[] = {0, 2};
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 2, ranks, &even);
  if (rank % 2 == 0) {
    MPI_Comm comm;
    MPI_Comm_create_group(MPI_COMM_WORLD, even, 0, &comm);
    MPI_Comm_free(&comm);
  }
  int two = 2, there;
  MPI_Group_translate_ranks(world, 1, &two, even, &there);
  if (rank == 0) printf("rank 2 of the world is rank %d of the even ones\n", there);
  MPI_Group_free(&even);
  MPI_Group_free(&world);
  MPI_Finalize();
  return 0;
}
