// SPDX-License-Identifier: BSD-3-Clause
// Rank 0 gives each process a number, gets back its square, and in the end all know all of them.
//
//     mpiexec -n 3 ./scatter_and_gather
//     rank 0 has gathered 1 4 9
//     rank 2 knows 1 4 9
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  const int numbers[] = {1, 2, 3};  // one for each of three processes; only rank 0 needs them
  int mine, squares[3], all[3];
  MPI_Scatter(numbers, 1, MPI_INT, &mine, 1, MPI_INT, 0, MPI_COMM_WORLD);
  mine *= mine;
  MPI_Gather(&mine, 1, MPI_INT, squares, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("rank 0 has gathered %d %d %d\n", squares[0], squares[1], squares[2]);
  MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
  if (rank == 2) printf("rank 2 knows %d %d %d\n", all[0], all[1], all[2]);
  MPI_Finalize();
  return 0;
}
