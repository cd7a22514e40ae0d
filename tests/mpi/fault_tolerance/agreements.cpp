// SPDX-License-Identifier: BSD-3-Clause
// Agreements among members of which some have failed: all living members get the same value and the same error. For
// five ranks, of which the last two die. Only the communicator that they use returns errors, MPI_COMM_WORLD does not.
#include <unistd.h>

#include "survivors.hpp"

namespace {

using survivors::class_of;

MPI_Comm comm = MPI_COMM_NULL;

void agree(int mine, int expected, int error_class) {
  int flag = mine;
  const int code = MPIX_Comm_agree(comm, &flag);
  CHECK_EQ(class_of(code), error_class);
  CHECK_EQ(flag, expected);
}

/// Only when all living members have acknowledged a failure does it cause no error any more.
void acknowledge_in_turn() {
  for (int last = 0; last < 3; ++last) {
    agree(~(1 << check::rank), ~7, MPIX_ERR_PROC_FAILED);
    CHECK(survivors::failed(comm) == std::vector<int>{4});
    if (check::rank == last) survivors::acknowledge(comm, 1);
  }
}

/// Is not complete before all living members have joined.
void begin_one_early() {
  int flag = check::rank == 2 ? 5 : 7, done = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  if (check::rank == 2) {
    MPI_Recv(nullptr, 0, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
    MPI_Recv(nullptr, 0, MPI_INT, 1, 1, comm, MPI_STATUS_IGNORE);
  }
  CHECK_EQ(MPIX_Comm_iagree(comm, &flag, &request), MPI_SUCCESS);
  if (check::rank < 2) {
    for (int i = 0; i < 100; ++i) {
      CHECK_EQ(MPI_Test(&request, &done, MPI_STATUS_IGNORE), MPI_SUCCESS);
      CHECK_EQ(done, 0);
    }
    MPI_Send(nullptr, 0, MPI_INT, 2, 1, comm);
  }
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(flag, 5);
}

/// A failure that nobody has noticed is found by the agreement; it contributes if it dies after it has taken part.
void lose_one_more() {
  if (check::rank == 3) survivors::die();
  agree(7, 7, MPIX_ERR_PROC_FAILED);
  CHECK(survivors::failed(comm) == (std::vector<int>{4, 3}));
  MPI_Group group = MPI_GROUP_NULL;
  CHECK_EQ(MPIX_Comm_agree_failed(comm, &group), MPI_SUCCESS);
  CHECK(survivors::ranks_of(group, comm) == (std::vector<int>{3, 4}));
  int acknowledged = 0;
  CHECK_EQ(MPIX_Comm_ack_failed(comm, 5, &acknowledged), MPI_SUCCESS);
  CHECK_EQ(acknowledged, 2);
  agree(3, 3, MPI_SUCCESS);
}

/// Members that call different functions are told so, and stay in step.
void call_different_functions() {
  MPI_Comm made = MPI_COMM_NULL;
  int flag = 1;
  const int code = check::rank == 0 ? MPIX_Comm_shrink(comm, &made) : MPIX_Comm_agree(comm, &flag);
  CHECK_EQ(class_of(code), MPI_ERR_OTHER);
  CHECK(made == MPI_COMM_NULL);
  agree(check::rank + 4, 4, MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), MPI_SUCCESS);
  int *tolerates = nullptr, found = 0;
  CHECK_EQ(MPI_Comm_get_attr(comm, MPIX_FT, &tolerates, &found), MPI_SUCCESS);
  CHECK(found != 0 && *tolerates == 1);
  agree(check::rank == 0 ? 6 : 7, 6, MPI_SUCCESS);
  if (check::rank == 4) survivors::die();
  if (check::rank < 3) {
    acknowledge_in_turn();
  } else {
    for (int i = 0; i < 3; ++i) agree(~7, ~7, MPIX_ERR_PROC_FAILED);
    survivors::acknowledge(comm, 1);
  }
  agree(7, 7, MPI_SUCCESS);
  if (check::rank == 3) {
    int flag = 7;
    MPI_Request request = MPI_REQUEST_NULL;
    MPIX_Comm_iagree(comm, &flag, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    begin_one_early();
  }
  lose_one_more();
  call_different_functions();
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  return program.finish();
}
