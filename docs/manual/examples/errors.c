// SPDX-License-Identifier: BSD-3-Clause
// Gets an error instead of being ended by it, and prints its class and sentence.
//
//     mpiexec -n 1 ./errors
//     the class is MPI_ERR_RANK
//     the sentence is not empty
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int code = MPI_Send(NULL, 0, MPI_INT, 99, 0, MPI_COMM_WORLD);  // there is no rank 99
  if (code != MPI_SUCCESS) {
    int class, length;
    char sentence[MPI_MAX_ERROR_STRING];
    MPI_Error_class(code, &class);
    MPI_Error_string(code, sentence, &length);
    printf("the class is %s\n", class == MPI_ERR_RANK ? "MPI_ERR_RANK" : "another one");
    printf("the sentence is %s\n", length > 0 ? "not empty" : "empty");
  }
  MPI_Finalize();
  return 0;
}
