// SPDX-License-Identifier: BSD-3-Clause
// Counts messages that arrived before their receives, and reads a setting.
//
//     mpiexec -n 2 ./tool
//     rank 1: the variable can be read, the setting has 1 element
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);

  int provided, index, elements, setting_elements;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  MPI_T_pvar_session session;
  MPI_T_pvar_handle counter;
  MPI_T_pvar_session_create(&session);
  MPI_T_pvar_get_index("unexpected_messages", MPI_T_PVAR_CLASS_COUNTER, &index);
  MPI_T_pvar_handle_alloc(session, index, NULL, &counter, &elements);
  MPI_T_pvar_start(session, counter);

  int number = 1;
  if (rank == 0) MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
  if (rank == 1) MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);

  unsigned long long early = 99;
  MPI_T_pvar_read(session, counter, &early);
  MPI_T_pvar_session_free(&session);

  MPI_T_cvar_handle setting;
  unsigned long limit = 0;
  MPI_T_cvar_get_index("BOWLINE_EAGER_LIMIT", &index);
  MPI_T_cvar_handle_alloc(index, NULL, &setting, &setting_elements);
  MPI_T_cvar_read(setting, &limit);
  MPI_T_cvar_handle_free(&setting);
  if (rank == 1 && early < 99 && limit > 0)
    printf("rank 1: the variable can be read, the setting has %d element\n", setting_elements);
  MPI_T_finalize();
  MPI_Finalize();
  return 0;
}
