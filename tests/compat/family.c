/* SPDX-License-Identifier: BSD-3-Clause */
/* Parents start children that were built for other MPIs: family CHILD..., and each child is the same program. */
#include "check.h"

enum { most = 8 };

static int sum_over(MPI_Comm comm) {
  int one = 1, sum = 0;
  OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm));
  return sum;
}

/* Each program runs twice. */
static void start(int programs, char** commands) {
  int processes[most], codes[2 * most], i, children, all;
  MPI_Info infos[most];
  MPI_Comm between, together;
  for (i = 0; i < programs; ++i) {
    processes[i] = 2;
    infos[i] = MPI_INFO_NULL;
  }
  for (i = 0; i < 2 * most; ++i) codes[i] = -1;
  OK(MPI_Comm_spawn_multiple(programs, commands, MPI_ARGVS_NULL, processes, infos, 0, MPI_COMM_WORLD, &between, codes));
  for (i = 0; i < 2 * programs; ++i) CHECK_EQ(codes[i], MPI_SUCCESS);
  OK(MPI_Comm_remote_size(between, &children));
  CHECK_EQ(children, 2 * programs);
  OK(MPI_Intercomm_merge(between, 0, &together));
  OK(MPI_Comm_size(together, &all));
  CHECK_EQ(all, check_size + children);
  CHECK_EQ(sum_over(together), all);
  OK(MPI_Comm_disconnect(&together));
  OK(MPI_Comm_disconnect(&between));
}

static void failures_have_this_abis_numbers(void) {
  int codes[2] = {-1, -1};
  char no_such[] = "/no/such/program";
  MPI_Comm none = MPI_COMM_SELF;
  OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
  CHECK_EQ(class_of(MPI_Comm_spawn(no_such, MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &none, codes)),
           MPI_ERR_SPAWN);
  CHECK_EQ(codes[0], MPI_ERR_SPAWN);
  CHECK_EQ(codes[1], MPI_ERR_SPAWN);
}

static void be_child(MPI_Comm parent) {
  int *program, found;
  MPI_Comm together;
  OK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &program, &found));
  CHECK(found != 0 && *program == check_rank / 2);
  OK(MPI_Intercomm_merge(parent, 1, &together));
  CHECK(sum_over(together) > check_size);
  OK(MPI_Comm_disconnect(&together));
  OK(MPI_Comm_disconnect(&parent));
}

int main(int argc, char** argv) {
  MPI_Comm parent;
  begin(&argc, &argv);
  OK(MPI_Comm_get_parent(&parent));
  if (parent == MPI_COMM_NULL) {
    start(argc - 1, argv + 1);
    failures_have_this_abis_numbers();
  } else {
    be_child(parent);
  }
  return finish();
}
