// SPDX-License-Identifier: BSD-3-Clause
// A revoked communicator: whatever waits on it fails at all members, and whatever begins later, though not what is
// local, and not agreements. The member that revokes it dies at once. Communicators that were made from it live on.
// For five ranks, of which the last one dies.
#include "survivors.hpp"

namespace {

using survivors::class_of;

constexpr int tag = 3;
int value = -1;

void expect_revoked(const char* what, int code) {
  if (!CHECK_EQ(class_of(code), MPIX_ERR_REVOKED)) std::fprintf(stderr, "%s\n", what);
}

/// Operations that have begun before the revocation fail when they are completed, the others at once.
void expect_revoked(const char* what, int begun, MPI_Request* request) {
  if (begun != MPI_SUCCESS) return expect_revoked(what, begun);
  expect_revoked(what, MPI_Wait(request, MPI_STATUS_IGNORE));
}

void start(MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  const int made = MPI_Recv_init(&value, 1, MPI_INT, 0, tag, comm, &request);
  if (made != MPI_SUCCESS) return expect_revoked("recv_init", made);
  expect_revoked("start", MPI_Start(&request), &request);
  CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

/// Waits in another way at each rank.
void wait_for_revocation(MPI_Comm comm, MPI_Comm inter) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Message message = MPI_MESSAGE_NULL;
  int all = 0;
  switch (check::rank) {
    case 0:
      expect_revoked("recv", MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE));
      expect_revoked("recv inter", MPI_Recv(&value, 1, MPI_INT, 0, tag, inter, MPI_STATUS_IGNORE));
      break;
    case 1:
      expect_revoked("irecv", MPI_Irecv(&value, 1, MPI_INT, 0, tag, comm, &request), &request);
      expect_revoked("issend", MPI_Issend(&value, 1, MPI_INT, 2, tag, comm, &request), &request);
      expect_revoked("iallreduce", MPI_Iallreduce(&value, &all, 1, MPI_INT, MPI_SUM, comm, &request), &request);
      start(comm);
      break;
    case 2:
      expect_revoked("barrier", MPI_Barrier(comm));
      break;
    default:
      expect_revoked("mprobe", MPI_Mprobe(0, tag, comm, &message, MPI_STATUS_IGNORE));
  }
}

void use_revoked(MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  int rank = -1, size = -1, revoked = 0, flag = 0;
  CHECK_EQ(MPIX_Comm_is_revoked(comm, &revoked), MPI_SUCCESS);
  CHECK_EQ(revoked, 1);
  expect_revoked("send", MPI_Send(&value, 1, MPI_INT, 0, tag, comm));
  expect_revoked("send to nobody", MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, tag, comm));
  expect_revoked("receive from nobody", MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, tag, comm, MPI_STATUS_IGNORE));
  expect_revoked("iprobe", MPI_Iprobe(0, tag, comm, &flag, MPI_STATUS_IGNORE));
  expect_revoked("allreduce", MPI_Allreduce(&value, &size, 1, MPI_INT, MPI_SUM, comm));
  expect_revoked("dup", MPI_Comm_dup(comm, &made));
  expect_revoked("split", MPI_Comm_split(comm, 0, 0, &made));
  CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_group(comm, &group), MPI_SUCCESS);
  MPI_Group_free(&group);
  CHECK_EQ(MPI_Comm_set_name(comm, "damaged"), MPI_SUCCESS);
  CHECK_EQ(MPIX_Comm_revoke(comm), MPI_SUCCESS);
}

/// The victim is not acknowledged, so the first agreement fails; its value is valid all the same.
void agree_on_revoked(MPI_Comm comm) {
  int flag = check::rank == 1 ? 6 : 7;
  CHECK_EQ(class_of(MPIX_Comm_agree(comm, &flag)), MPIX_ERR_PROC_FAILED);
  CHECK_EQ(flag, 6);
  survivors::acknowledge(comm, 1);
  flag = 3;
  CHECK_EQ(MPIX_Comm_agree(comm, &flag), MPI_SUCCESS);
  CHECK_EQ(flag, 3);
}

/// Two groups, of the even and of the odd ranks.
MPI_Comm bridge(MPI_Comm comm) {
  MPI_Comm side = MPI_COMM_NULL, made = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_split(comm, check::rank % 2, 0, &side), MPI_SUCCESS);
  CHECK_EQ(MPI_Intercomm_create(side, 0, comm, 1 - check::rank % 2, tag, &made), MPI_SUCCESS);
  MPI_Comm_free(&side);
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm comm = survivors::duplicate(), child = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_split(comm, check::rank == 4 ? MPI_UNDEFINED : 0, 0, &child), MPI_SUCCESS);
  MPI_Comm inter = bridge(comm);
  if (check::rank == 4) {
    MPIX_Comm_revoke(inter);
    MPIX_Comm_revoke(comm);
    survivors::die();
  }
  wait_for_revocation(comm, inter);
  use_revoked(comm);
  agree_on_revoked(comm);
  int sum = 0, one = 1;
  CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, child), MPI_SUCCESS);
  CHECK_EQ(sum, 4);
  for (MPI_Comm* each : {&comm, &child, &inter}) CHECK_EQ(MPI_Comm_free(each), MPI_SUCCESS);
  return program.finish();
}
