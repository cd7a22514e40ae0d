// SPDX-License-Identifier: BSD-3-Clause
// Stores two hints, and lists what an info object has.
//
//     mpiexec -n 1 ./info
//     cb_nodes = 2
//     file_perm = 644
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "cb_nodes", "2");
  MPI_Info_set(info, "file_perm", "644");
  int keys, flag;
  MPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    char key[MPI_MAX_INFO_KEY], value[64];
    int room = sizeof value;
    MPI_Info_get_nthkey(info, i, key);
    MPI_Info_get_string(info, key, &room, value, &flag);
    printf("%s = %s\n", key, value);
  }
  MPI_Info_free(&info);
  MPI_Finalize();
  return 0;
}
