// SPDX-License-Identifier: BSD-3-Clause
// Communicators of the members that live: MPIX_Comm_shrink and MPIX_Comm_ishrink of intracommunicators and
// intercommunicators, and everything that works on them. For six ranks, of which 1, 4 and 5 die one after the other.
#include "survivors.hpp"

namespace {

using survivors::class_of;

std::vector<int> world_ranks(MPI_Group group) {
  return survivors::ranks_of(group, MPI_COMM_WORLD);
}

std::vector<int> members(MPI_Comm comm) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &group);
  return world_ranks(group);
}

/// A communicator is as good as any other.
void use(MPI_Comm comm) {
  int size = 0, rank = 0, sum = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  const int one = 1;
  for (int i = 0; i < 100; ++i) {
    CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(sum, size);
  }
  constexpr int length = 100'000;
  std::vector<int> data(length, rank == 0 ? 17 : 0);
  CHECK_EQ(MPI_Bcast(data.data(), length, MPI_INT, 0, comm), MPI_SUCCESS);
  CHECK(data == std::vector<int>(length, 17));
  MPI_Win window = MPI_WIN_NULL;
  int* memory = nullptr;
  CHECK_EQ(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &window), MPI_SUCCESS);
  *memory = 0;
  MPI_Win_fence(0, window);
  CHECK_EQ(MPI_Accumulate(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_SUM, window), MPI_SUCCESS);
  MPI_Win_fence(0, window);
  if (rank == 0) CHECK_EQ(*memory, size);
  CHECK_EQ(MPI_Win_free(&window), MPI_SUCCESS);
  MPI_Comm made = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_split(comm, 0, -rank, &made), MPI_SUCCESS);
  CHECK_EQ(MPI_Barrier(made), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
}

MPI_Comm shrink(MPI_Comm comm, bool nonblocking, const std::vector<int>& expected) {
  MPI_Comm made = MPI_COMM_NULL;
  if (nonblocking) {
    MPI_Request request = MPI_REQUEST_NULL;
    CHECK_EQ(MPIX_Comm_ishrink(comm, &made, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  } else {
    CHECK_EQ(MPIX_Comm_shrink(comm, &made), MPI_SUCCESS);
  }
  CHECK(members(made) == expected);
  return made;
}

/// A failure that nobody has noticed before.
void lose(int victim) {
  if (check::rank == victim) survivors::die();
}

/// The groups {3, 0} and {2, 5}, of which 5 dies.
void shrink_inter(MPI_Comm comm) {
  const bool first = check::rank == 0 || check::rank == 3;
  MPI_Comm side = MPI_COMM_NULL, inter = MPI_COMM_NULL, left = MPI_COMM_NULL, all = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_split(comm, first ? 0 : 1, check::rank == 0 ? 9 : check::rank, &side), MPI_SUCCESS);
  const int other_leader = first ? 1 : 2;  // in `comm`, which has 0, 2, 3 and 5
  CHECK_EQ(MPI_Intercomm_create(side, 0, comm, other_leader, 1, &inter), MPI_SUCCESS);
  lose(5);
  int flag = first ? 6 : 3;
  CHECK_EQ(class_of(MPIX_Comm_agree(inter, &flag)), MPIX_ERR_PROC_FAILED);
  CHECK_EQ(flag, first ? 3 : 6);
  MPI_Group group = MPI_GROUP_NULL;
  CHECK_EQ(MPIX_Comm_get_failed(inter, &group), MPI_SUCCESS);
  CHECK(world_ranks(group) == std::vector<int>{5});
  CHECK_EQ(MPIX_Comm_revoke(inter), MPI_SUCCESS);
  CHECK_EQ(MPIX_Comm_shrink(inter, &left), MPI_SUCCESS);
  MPI_Comm_remote_group(left, &group);
  CHECK(members(left) == (first ? std::vector<int>{3, 0} : std::vector<int>{2}));
  CHECK(world_ranks(group) == (first ? std::vector<int>{2} : std::vector<int>{3, 0}));
  CHECK_EQ(MPI_Intercomm_merge(left, first ? 0 : 1, &all), MPI_SUCCESS);
  use(all);
  for (MPI_Comm* each : {&side, &inter, &left, &all}) CHECK_EQ(MPI_Comm_free(each), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm comm = survivors::duplicate();
  MPI_Comm whole = shrink(comm, false, {0, 1, 2, 3, 4, 5});
  use(whole);
  lose(1);
  MPI_Comm five = shrink(comm, false, {0, 2, 3, 4, 5});
  use(five);
  lose(4);
  MPI_Comm four = shrink(five, true, {0, 2, 3, 5});
  use(four);
  MPI_Comm again = shrink(comm, true, {0, 2, 3, 5});
  use(again);
  shrink_inter(again);
  for (MPI_Comm* each : {&again, &four, &five, &whole, &comm}) CHECK_EQ(MPI_Comm_free(each), MPI_SUCCESS);
  return program.finish();
}
