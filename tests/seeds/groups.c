/* SPDX-License-Identifier: BSD-3-Clause */
/* Six processes and three groups: green {0, 5}, blue {4} and yellow {1, 2}; process 3 names a group without itself.
 * Each process prints what communicator it gets. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  const int green[] = {0, 5}, blue[] = {4}, yellow[] = {1, 2};
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Group world, group;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  if (rank == 0 || rank == 5)
    MPI_Group_incl(world, 2, green, &group);
  else if (rank == 4)
    MPI_Group_incl(world, 1, blue, &group);
  else if (rank == 1 || rank == 2)
    MPI_Group_incl(world, 2, yellow, &group);
  else
    group = MPI_GROUP_EMPTY;
  MPI_Comm comm;
  MPI_Comm_create(MPI_COMM_WORLD, group, &comm);
  if (comm == MPI_COMM_NULL) {
    printf("%d: none\n", rank);
  } else {
    int place, size, sum;
    MPI_Comm_rank(comm, &place);
    MPI_Comm_size(comm, &size);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
    printf("%d: %d of %d, sum %d\n", rank, place, size, sum);
    MPI_Comm_free(&comm);
  }
  if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
  MPI_Group_free(&world);
  MPI_Finalize();
  return 0;
}
