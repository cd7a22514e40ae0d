// SPDX-License-Identifier: BSD-3-Clause
// Intercommunicators: made of two halves of the world, asked, used for messages, duplicated, split, merged.
#include <array>
#include <vector>

#include "check.hpp"

namespace {

bool upper;              // whether this process is in the upper half
int own, other;          // the sizes of this half and of the other one
int first, other_first;  // their first world ranks

void expect_sides(MPI_Comm comm, int local, int remote, int from) {
  int flag = 0, size = -1, rank = -1;
  CHECK_EQ(MPI_Comm_test_inter(comm, &flag), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
  CHECK_EQ(size, local);
  CHECK_EQ(MPI_Comm_remote_size(comm, &size), MPI_SUCCESS);
  CHECK_EQ(size, remote);
  CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
  MPI_Group group, world;
  CHECK_EQ(MPI_Comm_remote_group(comm, &group), MPI_SUCCESS);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int zero = 0, translated = -1;
  CHECK_EQ(MPI_Group_translate_ranks(group, 1, &zero, world, &translated), MPI_SUCCESS);
  CHECK_EQ(translated, from);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  // Rank i talks to every rank of the other side.
  for (int peer = 0; peer < remote; ++peer) {
    const int mine = 100 * check::rank + peer;
    std::array<int, 1> theirs = {-1};
    MPI_Status status;
    CHECK_EQ(MPI_Sendrecv(&mine, 1, MPI_INT, peer, rank, theirs.data(), 1, MPI_INT, peer, peer, comm, &status),
             MPI_SUCCESS);
    CHECK_EQ(status.MPI_SOURCE, peer);
    CHECK_EQ(theirs[0] % 100, rank);
  }
  CHECK_EQ(MPI_Send(&zero, 1, MPI_INT, remote, 0, comm), MPI_ERR_RANK);
  CHECK_EQ(MPI_Scan(MPI_IN_PLACE, &zero, 1, MPI_INT, MPI_SUM, comm), MPI_ERR_COMM);
}

void expect_merged(MPI_Comm inter, bool upper_high) {
  MPI_Comm merged;
  CHECK_EQ(MPI_Intercomm_merge(inter, upper == upper_high ? 1 : 0, &merged), MPI_SUCCESS);
  int size = -1, rank = -1, sum = -1;
  CHECK_EQ(MPI_Comm_size(merged, &size), MPI_SUCCESS);
  CHECK_EQ(size, check::size);
  CHECK_EQ(MPI_Comm_rank(merged, &rank), MPI_SUCCESS);
  CHECK_EQ(rank, (upper == upper_high ? other : 0) + check::rank - first);
  CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, merged), MPI_SUCCESS);
  CHECK_EQ(sum, size * (size - 1) / 2);
  CHECK_EQ(MPI_Comm_free(&merged), MPI_SUCCESS);
}

void expect_split(MPI_Comm inter) {
  // The first members of both sides; the others; and one color that only one side has.
  const bool leads = check::rank == first;
  MPI_Comm part;
  CHECK_EQ(MPI_Comm_split(inter, leads ? 0 : 1, 0, &part), MPI_SUCCESS);
  const bool lonely = !leads && other == 1;
  CHECK_EQ(part == MPI_COMM_NULL, lonely);
  if (!lonely) {
    expect_sides(part, leads ? 1 : own - 1, leads ? 1 : other - 1, leads ? other_first : other_first + 1);
    CHECK_EQ(MPI_Comm_free(&part), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Comm_split(inter, upper ? 1 : MPI_UNDEFINED, 0, &part), MPI_SUCCESS);
  CHECK(part == MPI_COMM_NULL);

  MPI_Group local, leader;
  const int zero = 0;
  MPI_Comm_group(inter, &local);
  MPI_Group_incl(local, 1, &zero, &leader);
  CHECK_EQ(MPI_Comm_create(inter, leader, &part), MPI_SUCCESS);
  CHECK_EQ(part != MPI_COMM_NULL, leads);
  if (leads) {
    expect_sides(part, 1, 1, other_first);
    CHECK_EQ(MPI_Comm_free(&part), MPI_SUCCESS);
  }
  MPI_Group_free(&local);
  MPI_Group_free(&leader);
}

// The members of both sides on one node stay together; a node that has members of one side only gets no
// intercommunicator.
void expect_split_type(MPI_Comm inter) {
  MPI_Comm node = MPI_COMM_NULL, part = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node), MPI_SUCCESS);
  const std::array<int, 2> mine = {1, upper ? 0 : 1};
  std::array<int, 2> here{};  // processes of the node, those of the lower half
  CHECK_EQ(MPI_Allreduce(mine.data(), here.data(), 2, MPI_INT, MPI_SUM, node), MPI_SUCCESS);
  const int own_here = upper ? here[0] - here[1] : here[1];
  const int other_here = here[0] - own_here;
  // The first of the other side here, by its world rank; check::size if there is none.
  const std::array<int, 2> ranks = {upper ? check::size : check::rank, upper ? check::rank : check::size};
  std::array<int, 2> firsts{};
  CHECK_EQ(MPI_Allreduce(ranks.data(), firsts.data(), 2, MPI_INT, MPI_MIN, node), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&node), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_split_type(inter, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &part), MPI_SUCCESS);
  CHECK_EQ(part != MPI_COMM_NULL, other_here > 0);
  if (part != MPI_COMM_NULL) {
    expect_sides(part, own_here, other_here, firsts[upper ? 0 : 1]);
    CHECK_EQ(MPI_Comm_free(&part), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Comm_split_type(inter, MPI_UNDEFINED, 0, MPI_INFO_NULL, &part), MPI_SUCCESS);
  CHECK(part == MPI_COMM_NULL);
  // One side alone makes no intercommunicator.
  CHECK_EQ(MPI_Comm_split_type(inter, upper ? MPI_COMM_TYPE_SHARED : MPI_UNDEFINED, 0, MPI_INFO_NULL, &part),
           MPI_SUCCESS);
  CHECK(part == MPI_COMM_NULL);
  // Neither does a set of one process.
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_pset_name", "mpi://SELF");
  CHECK_EQ(MPI_Comm_split_type(inter, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part), MPI_SUCCESS);
  CHECK(part == MPI_COMM_NULL);
  MPI_Info_free(&info);
}

void from_groups() {
  MPI_Group world, mine, theirs;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int own_range[1][3] = {{first, first + own - 1, 1}}, other_range[1][3] = {{other_first, other_first + other - 1, 1}};
  MPI_Group_range_incl(world, 1, own_range, &mine);
  MPI_Group_range_incl(world, 1, other_range, &theirs);
  MPI_Comm inter;
  const bool leads = check::rank == first;
  CHECK_EQ(MPI_Intercomm_create_from_groups(mine, 0, leads ? theirs : MPI_GROUP_NULL, 0, "halves", MPI_INFO_NULL,
                                            MPI_ERRORS_RETURN, &inter),
           MPI_SUCCESS);
  expect_sides(inter, own, other, other_first);
  CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
  for (MPI_Group* const group : {&world, &mine, &theirs}) MPI_Group_free(group);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int lower = check::size / 2;
  upper = check::rank >= lower;
  own = upper ? check::size - lower : lower;
  other = check::size - own;
  first = upper ? lower : 0;
  other_first = upper ? 0 : lower;

  MPI_Comm half, inter, duplicate;
  CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, upper ? 1 : 0, 0, &half), MPI_SUCCESS);
  CHECK_EQ(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, other_first, 31, &inter), MPI_SUCCESS);
  expect_sides(inter, own, other, other_first);
  CHECK_EQ(MPI_Comm_dup(inter, &duplicate), MPI_SUCCESS);
  expect_sides(duplicate, own, other, other_first);
  int result = -1;
  CHECK_EQ(MPI_Comm_compare(inter, duplicate, &result), MPI_SUCCESS);
  CHECK_EQ(result, MPI_CONGRUENT);
  CHECK_EQ(MPI_Comm_compare(inter, half, &result), MPI_SUCCESS);
  CHECK_EQ(result, MPI_UNEQUAL);
  CHECK_EQ(MPI_Comm_free(&duplicate), MPI_SUCCESS);
  expect_merged(inter, true);
  expect_merged(inter, false);
  expect_split(inter);
  expect_split_type(inter);
  from_groups();
  MPI_Request request;
  CHECK_EQ(MPI_Comm_idup(inter, &duplicate, &request), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  expect_sides(duplicate, own, other, other_first);
  CHECK_EQ(MPI_Comm_free(&duplicate), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
  return program.finish();
}
