// SPDX-License-Identifier: BSD-3-Clause
// Starts two further processes of the same program and gets their answers.
//
//     mpiexec -n 1 ./spawn
//     the children's ranks add up to 1
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm parent;
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    MPI_Comm children;
    int sum = 0, nothing = 0;
    MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
    MPI_Reduce(&nothing, &sum, 1, MPI_INT, MPI_SUM, MPI_ROOT, children);  // of the children's numbers
    printf("the children's ranks add up to %d\n", sum);
    MPI_Comm_disconnect(&children);
  } else {
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&rank, NULL, 1, MPI_INT, MPI_SUM, 0, parent);
    MPI_Comm_disconnect(&parent);
  }
  MPI_Finalize();
  return 0;
}
