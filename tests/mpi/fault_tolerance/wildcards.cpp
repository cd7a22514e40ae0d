// SPDX-License-Identifier: BSD-3-Clause
// A process fails that might have sent the message for which rank 0 waits from any source. Calls that complete the
// receive return MPIX_ERR_PROC_FAILED_PENDING and leave it active, calls that receive themselves fail, and all of them
// go on once the failure is acknowledged. For three ranks, of which the last one dies.
#include "survivors.hpp"

namespace {

using survivors::class_of;

constexpr int tag = 7;
MPI_Comm comm = MPI_COMM_NULL;

void expect_pending(MPI_Request& request, int code) {
  CHECK_EQ(class_of(code), MPIX_ERR_PROC_FAILED_PENDING);
  CHECK(request != MPI_REQUEST_NULL);
}

/// Each call that completes requests, beside one that is complete.
void complete_one(MPI_Request& request) {
  int flag = -1;
  expect_pending(request, MPI_Wait(&request, MPI_STATUS_IGNORE));
  expect_pending(request, MPI_Test(&request, &flag, MPI_STATUS_IGNORE));
  CHECK_EQ(flag, 0);
  expect_pending(request, MPI_Wait(&request, MPI_STATUS_IGNORE));
}

void complete_several(MPI_Request& request) {
  int index = -1, count = -1, indices[2] = {-1, -1};
  MPI_Request both[2] = {MPI_REQUEST_NULL, request};
  MPI_Status statuses[2];
  expect_pending(both[1], MPI_Waitany(2, both, &index, MPI_STATUS_IGNORE));
  CHECK_EQ(index, 1);
  int mine = 5, got = 0;
  CHECK_EQ(MPI_Isend(&mine, 1, MPI_INT, 0, tag + 1, comm, &both[0]), MPI_SUCCESS);
  CHECK_EQ(class_of(MPI_Waitall(2, both, statuses)), MPI_ERR_IN_STATUS);
  CHECK_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
  CHECK(both[0] == MPI_REQUEST_NULL);
  expect_pending(both[1], statuses[1].MPI_ERROR);
  CHECK_EQ(class_of(MPI_Waitsome(2, both, &count, indices, statuses)), MPI_ERR_IN_STATUS);
  CHECK_EQ(count, 1);
  expect_pending(both[1], statuses[0].MPI_ERROR);
  CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, 0, tag + 1, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(got, mine);
}

void receive_at_once() {
  int value = -1, flag = -1;
  MPI_Message message = MPI_MESSAGE_NULL;
  const int any = MPI_ANY_SOURCE;
  CHECK_EQ(class_of(MPI_Recv(&value, 1, MPI_INT, any, tag, comm, MPI_STATUS_IGNORE)), MPIX_ERR_PROC_FAILED);
  CHECK_EQ(class_of(MPI_Probe(any, tag, comm, MPI_STATUS_IGNORE)), MPIX_ERR_PROC_FAILED);
  CHECK_EQ(class_of(MPI_Mprobe(any, tag, comm, &message, MPI_STATUS_IGNORE)), MPIX_ERR_PROC_FAILED);
  CHECK_EQ(class_of(MPI_Iprobe(any, tag, comm, &flag, MPI_STATUS_IGNORE)), MPIX_ERR_PROC_FAILED_PENDING);
  const int code = MPI_Sendrecv(&value, 1, MPI_INT, 0, tag + 2, &value, 1, MPI_INT, any, tag, comm, MPI_STATUS_IGNORE);
  CHECK_EQ(class_of(code), MPIX_ERR_PROC_FAILED);
  CHECK_EQ(MPI_Recv(&value, 1, MPI_INT, 0, tag + 2, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/// A group of failed members begins with the one that was found first.
void acknowledge() {
  int acknowledged = -1;
  CHECK(survivors::failed(comm) == std::vector<int>{2});
  CHECK_EQ(MPIX_Comm_ack_failed(comm, 0, &acknowledged), MPI_SUCCESS);
  CHECK_EQ(acknowledged, 0);
  CHECK_EQ(class_of(MPIX_Comm_ack_failed(comm, -1, &acknowledged)), MPI_ERR_ARG);
  CHECK_EQ(MPIX_Comm_ack_failed(comm, 3, &acknowledged), MPI_SUCCESS);
  CHECK_EQ(acknowledged, 1);
  MPI_Group group = MPI_GROUP_NULL;
  CHECK_EQ(MPIX_Comm_failure_get_acked(comm, &group), MPI_SUCCESS);
  CHECK(survivors::ranks_of(group, comm) == std::vector<int>{2});
}

void rank_0() {
  int value = -1, flag = -1;
  MPI_Request request = MPI_REQUEST_NULL;
  CHECK_EQ(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request), MPI_SUCCESS);
  complete_one(request);
  complete_several(request);
  receive_at_once();
  acknowledge();
  CHECK_EQ(MPI_Test(&request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(flag, 0);
  CHECK_EQ(MPI_Send(nullptr, 0, MPI_INT, 1, tag, comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(value, 1);
  CHECK_EQ(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(value, 2);
}

/// Is not concerned by the failure.
void rank_1() {
  CHECK_EQ(MPI_Recv(nullptr, 0, MPI_INT, 0, tag, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (const int value : {1, 2}) CHECK_EQ(MPI_Send(&value, 1, MPI_INT, 0, tag, comm), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  comm = survivors::duplicate();
  if (check::rank == 2) survivors::die();
  check::rank == 0 ? rank_0() : rank_1();
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  return program.finish();
}
