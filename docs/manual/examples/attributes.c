// SPDX-License-Identifier: BSD-3-Clause
// A library keeps a communicator of its own with that of the program, and frees it with it.
//
//     mpiexec -n 1 ./attributes
//     the library's data are freed
//     MPI_TAG_UB is at least 32767: yes
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int forget(MPI_Comm comm, int key, void* value, void* state) {
  (void)comm, (void)key, (void)state;
  MPI_Comm_free(value);
  free(value);
  puts("the library's data are freed");
  return MPI_SUCCESS;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm program, *own = malloc(sizeof *own), *found;
  MPI_Comm_dup(MPI_COMM_WORLD, &program);

  int key, flag;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &key, NULL);
  MPI_Comm_dup(program, own);  // its messages meet none of the program's
  MPI_Comm_set_attr(program, key, own);
  MPI_Comm_get_attr(program, key, &found, &flag);
  if (!flag || found != own) puts("the attribute is missing");
  MPI_Comm_free(&program);  // calls forget

  int* upper;
  MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &upper, &flag);
  printf("MPI_TAG_UB is at least 32767: %s\n", flag && *upper >= 32767 ? "yes" : "no");
  MPI_Comm_free_keyval(&key);
  MPI_Finalize();
  return 0;
}
