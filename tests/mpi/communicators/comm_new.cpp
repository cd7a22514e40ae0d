// SPDX-License-Identifier: BSD-3-Clause
// New communicators of one group: dup, idup, create, create_group, split; their ranks, names, hints and messages.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

// Whether the communicator has these world ranks in this order, and works.
void expect_members(MPI_Comm comm, const std::vector<int>& expected) {
  int size = -1, rank = -1;
  if (!CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS)) return;
  CHECK_EQ(size, static_cast<int>(expected.size()));
  CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
  if (!CHECK(rank >= 0 && rank < static_cast<int>(expected.size()))) return;
  CHECK_EQ(expected[static_cast<std::size_t>(rank)], check::rank);
  // Around the ring, which every member finds by its rank; and a collective of each kind.
  const int next = (rank + 1) % size, previous = (rank + size - 1) % size;
  int told = -1, sum = -1, root = check::rank;
  CHECK_EQ(MPI_Sendrecv(&check::rank, 1, MPI_INT, next, 5, &told, 1, MPI_INT, previous, 5, comm, MPI_STATUS_IGNORE),
           MPI_SUCCESS);
  CHECK_EQ(told, expected[static_cast<std::size_t>(previous)]);
  int total = 0;
  for (const int member : expected) total += member;
  CHECK_EQ(MPI_Allreduce(&check::rank, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  CHECK_EQ(sum, total);
  CHECK_EQ(MPI_Bcast(&root, 1, MPI_INT, size - 1, comm), MPI_SUCCESS);
  CHECK_EQ(root, expected.back());
  CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
}

void give_back(MPI_Comm comm) {
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  CHECK(comm == MPI_COMM_NULL);
}

int compare(MPI_Comm a, MPI_Comm b) {
  int result = -1;
  CHECK_EQ(MPI_Comm_compare(a, b, &result), MPI_SUCCESS);
  return result;
}

std::vector<int> all_ranks() {
  std::vector<int> result;
  for (int rank = 0; rank < check::size; ++rank) result.push_back(rank);
  return result;
}

std::string name_of(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME> text{};
  int length = -1;
  CHECK_EQ(MPI_Comm_get_name(comm, text.data(), &length), MPI_SUCCESS);
  return {text.data(), static_cast<std::size_t>(length)};
}

void duplicates() {
  MPI_Comm duplicate;
  CHECK_EQ(MPI_Comm_dup(world, &duplicate), MPI_SUCCESS);
  expect_members(duplicate, all_ranks());
  CHECK_EQ(compare(world, duplicate), MPI_CONGRUENT);
  CHECK_EQ(compare(duplicate, duplicate), MPI_IDENT);
  CHECK_EQ(name_of(world), "MPI_COMM_WORLD");
  CHECK_EQ(name_of(duplicate), "");
  CHECK_EQ(MPI_Comm_set_name(duplicate, "twin"), MPI_SUCCESS);
  CHECK_EQ(name_of(duplicate), "twin");
  give_back(duplicate);
}

std::string hint(MPI_Comm comm, const char* key) {
  MPI_Info info;
  CHECK_EQ(MPI_Comm_get_info(comm, &info), MPI_SUCCESS);
  std::array<char, 64> value{};
  int length = 64, flag = -1;
  CHECK_EQ(MPI_Info_get_string(info, key, &length, value.data(), &flag), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
  return flag != 0 ? value.data() : "(none)";
}

void hints() {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_no_any_tag", "true");
  MPI_Info_set(info, "colour_of_cable", "blue");
  MPI_Comm with, without;
  CHECK_EQ(MPI_Comm_dup_with_info(world, info, &with), MPI_SUCCESS);
  MPI_Info_free(&info);
  CHECK_EQ(hint(with, "mpi_assert_no_any_tag"), "true");
  CHECK_EQ(hint(with, "mpi_memory_alloc_kinds"), "mpi,system");
  CHECK_EQ(hint(with, "colour_of_cable"), "(none)");
  CHECK_EQ(MPI_Comm_dup(with, &without), MPI_SUCCESS);
  CHECK_EQ(hint(without, "mpi_assert_no_any_tag"), "(none)");
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_assert_exact_length", "true");
  CHECK_EQ(MPI_Comm_set_info(without, info), MPI_SUCCESS);
  MPI_Info_free(&info);
  CHECK_EQ(hint(without, "mpi_assert_exact_length"), "true");
  give_back(with);
  give_back(without);
}

void non_blocking_duplicates() {
  constexpr std::size_t many = 8;
  std::array<MPI_Comm, many> duplicates;
  std::array<MPI_Request, many> requests;
  for (std::size_t i = 0; i < many; ++i) {
    CHECK_EQ(MPI_Comm_idup(world, &duplicates[i], &requests[i]), MPI_SUCCESS);
  }
  int sum = -1;
  CHECK_EQ(MPI_Allreduce(&check::rank, &sum, 1, MPI_INT, MPI_SUM, world), MPI_SUCCESS);  // in between
  CHECK_EQ(MPI_Waitall(many, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  for (const MPI_Comm duplicate : duplicates) expect_members(duplicate, all_ranks());
  for (const MPI_Comm duplicate : duplicates) give_back(duplicate);

  // The blocking call of one process may come before the non-blocking one of another.
  MPI_Comm parent, late, blocking;
  MPI_Request request;
  CHECK_EQ(MPI_Comm_dup(world, &parent), MPI_SUCCESS);
  if (check::rank == 0) CHECK_EQ(MPI_Comm_idup(parent, &late, &request), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_dup(world, &blocking), MPI_SUCCESS);
  if (check::rank != 0) CHECK_EQ(MPI_Comm_idup_with_info(parent, MPI_INFO_NULL, &late, &request), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  expect_members(late, all_ranks());
  for (const MPI_Comm comm : {parent, late, blocking}) give_back(comm);
}

void splits() {
  // By parity, in the opposite order; the key may be negative.
  MPI_Comm half;
  CHECK_EQ(MPI_Comm_split(world, check::rank % 2, -check::rank, &half), MPI_SUCCESS);
  std::vector<int> expected;
  for (int rank = check::size - 1; rank >= 0; --rank) {
    if (rank % 2 == check::rank % 2) expected.push_back(rank);
  }
  expect_members(half, expected);
  MPI_Comm quarter;  // of a communicator that is no arithmetic sequence of the world any more, and with equal keys
  CHECK_EQ(MPI_Comm_split(half, 77, 5, &quarter), MPI_SUCCESS);
  expect_members(quarter, expected);
  CHECK_EQ(compare(half, quarter), MPI_CONGRUENT);
  give_back(quarter);
  give_back(half);

  MPI_Comm most;
  CHECK_EQ(MPI_Comm_split(world, check::rank == 0 ? MPI_UNDEFINED : 3, 0, &most), MPI_SUCCESS);
  if (check::rank == 0) {
    CHECK(most == MPI_COMM_NULL);
  } else {
    std::vector<int> rest = all_ranks();
    rest.erase(rest.begin());
    expect_members(most, rest);
    give_back(most);
  }

  MPI_Comm reversed;
  CHECK_EQ(MPI_Comm_split(world, 0, check::size - check::rank, &reversed), MPI_SUCCESS);
  CHECK_EQ(compare(world, reversed), check::size == 1 ? MPI_CONGRUENT : MPI_SIMILAR);
  give_back(reversed);
}

MPI_Group group_of(const std::vector<int>& ranks) {
  MPI_Group whole, part;
  MPI_Comm_group(world, &whole);
  CHECK_EQ(MPI_Group_incl(whole, static_cast<int>(ranks.size()), ranks.data(), &part), MPI_SUCCESS);
  MPI_Group_free(&whole);
  return part;
}

void creates() {
  // All but the last, in an order that is no sequence; the last one names no group that it is in.
  std::vector<int> ranks;
  for (int rank = 0; rank + 1 < check::size; ++rank) ranks.push_back(rank);
  if (ranks.size() > 2) std::swap(ranks[0], ranks[1]);
  MPI_Group group = group_of(ranks);
  MPI_Comm made;
  const bool member = check::rank + 1 < check::size;
  CHECK_EQ(MPI_Comm_create(world, member ? group : MPI_GROUP_EMPTY, &made), MPI_SUCCESS);
  if (member) {
    expect_members(made, ranks);
    give_back(made);
    // Only the members call this.
    CHECK_EQ(MPI_Comm_create_group(world, group, 12, &made), MPI_SUCCESS);
    expect_members(made, ranks);
    give_back(made);
    CHECK_EQ(MPI_Comm_create_from_group(group, "comm_new", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made), MPI_SUCCESS);
    expect_members(made, ranks);
    give_back(made);
  } else {
    CHECK(made == MPI_COMM_NULL);
  }
  MPI_Group_free(&group);
}

// What was begun before MPI_Comm_free ends after it.
void free_with_operations() {
  for (const std::size_t length : {std::size_t{1}, std::size_t{100000}}) {
    MPI_Comm comm;
    CHECK_EQ(MPI_Comm_dup(world, &comm), MPI_SUCCESS);
    const int next = (check::rank + 1) % check::size, previous = (check::rank + check::size - 1) % check::size;
    const std::vector<int> out(length, check::rank);
    std::vector<int> in(length, -1);
    std::array<MPI_Request, 2> requests;
    MPI_Irecv(in.data(), static_cast<int>(length), MPI_INT, previous, 1, comm, &requests[0]);
    MPI_Isend(out.data(), static_cast<int>(length), MPI_INT, next, 1, comm, &requests[1]);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    MPI_Comm other;  // must not get what is under way
    CHECK_EQ(MPI_Comm_dup(world, &other), MPI_SUCCESS);
    int flag = 1;
    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, other, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    CHECK_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK(std::ranges::all_of(in, [=](int value) { return value == previous; }));
    give_back(other);
  }
  // A message that nobody receives goes with its communicator.
  MPI_Comm comm;
  CHECK_EQ(MPI_Comm_dup(world, &comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Send(&check::rank, 1, MPI_INT, (check::rank + 1) % check::size, 1, comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_disconnect(&comm), MPI_SUCCESS);
  for (int i = 0; i < 600; ++i) {  // whichever index comes next
    CHECK_EQ(MPI_Comm_dup(world, &comm), MPI_SUCCESS);
    int flag = 1;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
    if (flag != 0) CHECK_EQ(flag, 0);
    MPI_Comm_free(&comm);
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  duplicates();
  hints();
  non_blocking_duplicates();
  splits();
  creates();
  free_with_operations();
  return program.finish();
}
