// SPDX-License-Identifier: BSD-3-Clause
// Groups: accessors, constructors and set operations over the groups of the predefined communicators.
#include <array>
#include <numeric>
#include <vector>

#include "check.hpp"

namespace {

MPI_Group world_group;

std::vector<int> members(MPI_Group group) {
  int size = -1;
  CHECK_EQ(MPI_Group_size(group, &size), MPI_SUCCESS);
  std::vector<int> ranks(static_cast<std::size_t>(size)), result(ranks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  CHECK_EQ(MPI_Group_translate_ranks(group, size, ranks.data(), world_group, result.data()), MPI_SUCCESS);
  return result;
}

int compare(MPI_Group a, MPI_Group b) {
  int result = -1;
  CHECK_EQ(MPI_Group_compare(a, b, &result), MPI_SUCCESS);
  return result;
}

void give_back(MPI_Group group) {
  CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
  CHECK(group == MPI_GROUP_NULL);
}

void accessors() {
  int size = -1, rank = -1;
  CHECK_EQ(MPI_Group_size(world_group, &size), MPI_SUCCESS);
  CHECK_EQ(size, check::size);
  CHECK_EQ(MPI_Group_rank(world_group, &rank), MPI_SUCCESS);
  CHECK_EQ(rank, check::rank);
  CHECK_EQ(MPI_Group_size(MPI_GROUP_EMPTY, &size), MPI_SUCCESS);
  CHECK_EQ(size, 0);
  CHECK_EQ(MPI_Group_rank(MPI_GROUP_EMPTY, &rank), MPI_SUCCESS);
  CHECK_EQ(rank, MPI_UNDEFINED);

  MPI_Group self;
  CHECK_EQ(MPI_Comm_group(MPI_COMM_SELF, &self), MPI_SUCCESS);
  CHECK(members(self) == std::vector<int>{check::rank});
  const std::array<int, 3> from = {0, MPI_PROC_NULL, check::size - 1};
  std::array<int, 3> to = {-1, -1, -1};
  CHECK_EQ(MPI_Group_translate_ranks(world_group, 3, from.data(), self, to.data()), MPI_SUCCESS);
  CHECK_EQ(to[0], check::rank == 0 ? 0 : MPI_UNDEFINED);
  CHECK_EQ(to[1], MPI_PROC_NULL);
  CHECK_EQ(to[2], check::rank == check::size - 1 ? 0 : MPI_UNDEFINED);
  CHECK_EQ(compare(self, world_group), check::size == 1 ? MPI_IDENT : MPI_UNEQUAL);
  give_back(self);
}

void constructors() {
  const int n = check::size;
  std::vector<int> down(static_cast<std::size_t>(n));
  std::iota(down.rbegin(), down.rend(), 0);
  MPI_Group reversed, ranged, again, none;
  CHECK_EQ(MPI_Group_incl(world_group, n, down.data(), &reversed), MPI_SUCCESS);
  CHECK(members(reversed) == down);
  CHECK_EQ(compare(reversed, world_group), n == 1 ? MPI_IDENT : MPI_SIMILAR);

  int range[1][3] = {{n - 1, 0, -1}};
  CHECK_EQ(MPI_Group_range_incl(world_group, 1, range, &ranged), MPI_SUCCESS);
  CHECK_EQ(compare(reversed, ranged), MPI_IDENT);

  const int last = n - 1;
  CHECK_EQ(MPI_Group_excl(reversed, 1, &last, &again), MPI_SUCCESS);  // the process 0
  std::vector<int> rest(down.begin(), down.end() - 1);
  CHECK(members(again) == rest);
  give_back(again);
  int everything[1][3] = {{0, n - 1, 1}};
  CHECK_EQ(MPI_Group_range_excl(world_group, 1, everything, &none), MPI_SUCCESS);
  CHECK(none == MPI_GROUP_EMPTY);
  CHECK_EQ(MPI_Group_excl(world_group, 0, nullptr, &again), MPI_SUCCESS);
  CHECK_EQ(compare(again, world_group), MPI_IDENT);
  give_back(again);
  CHECK_EQ(MPI_Group_range_excl(world_group, 0, nullptr, &again), MPI_SUCCESS);
  CHECK_EQ(compare(again, world_group), MPI_IDENT);
  give_back(again);
  CHECK_EQ(MPI_Group_incl(world_group, 0, nullptr, &none), MPI_SUCCESS);
  CHECK(none == MPI_GROUP_EMPTY);
  CHECK_EQ(MPI_Group_range_incl(world_group, 0, nullptr, &none), MPI_SUCCESS);
  CHECK(none == MPI_GROUP_EMPTY);
  give_back(none);
  give_back(reversed);
  give_back(ranged);
}

// The even ranks, and the ranks of the upper half.
void set_operations() {
  const int n = check::size, half = n / 2;
  int evens[1][3] = {{0, n - 1, 2}}, uppers[1][3] = {{n - 1, half, -1}};
  MPI_Group even, upper, both, either, difference;
  CHECK_EQ(MPI_Group_range_incl(world_group, 1, evens, &even), MPI_SUCCESS);
  CHECK_EQ(MPI_Group_range_incl(world_group, 1, uppers, &upper), MPI_SUCCESS);
  CHECK_EQ(MPI_Group_intersection(even, upper, &both), MPI_SUCCESS);
  CHECK_EQ(MPI_Group_union(even, upper, &either), MPI_SUCCESS);
  CHECK_EQ(MPI_Group_difference(upper, even, &difference), MPI_SUCCESS);
  std::vector<int> in_both, in_either, in_difference;
  for (int rank = 0; rank < n; rank += 2) {
    in_either.push_back(rank);
    if (rank >= half) in_both.push_back(rank);
  }
  for (int rank = n - 1; rank >= half; --rank) {
    if (rank % 2 == 0) continue;
    in_either.push_back(rank);
    in_difference.push_back(rank);
  }
  CHECK(members(both) == in_both);
  CHECK(members(either) == in_either);
  CHECK(members(difference) == in_difference);
  for (const MPI_Group group : {even, upper, both, either, difference}) give_back(group);
  CHECK_EQ(MPI_Group_union(MPI_GROUP_EMPTY, world_group, &either), MPI_SUCCESS);
  CHECK_EQ(compare(either, world_group), MPI_IDENT);
  CHECK_EQ(MPI_Group_intersection(MPI_GROUP_EMPTY, either, &both), MPI_SUCCESS);
  CHECK(both == MPI_GROUP_EMPTY);
  give_back(either);
}

// A handle is gone when it is freed; the members live on in what was made of them.
void freeing() {
  MPI_Group group, part;
  const int first = 0;
  CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &group), MPI_SUCCESS);
  CHECK_EQ(MPI_Group_incl(group, 1, &first, &part), MPI_SUCCESS);
  MPI_Group stale = group;
  give_back(group);
  int size = -1;
  CHECK_EQ(MPI_Group_size(stale, &size), MPI_ERR_GROUP);
  CHECK_EQ(MPI_Group_free(&stale), MPI_ERR_GROUP);
  CHECK(members(part) == std::vector<int>{0});
  give_back(part);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_EQ(MPI_Comm_group(MPI_COMM_WORLD, &world_group), MPI_SUCCESS);
  accessors();
  constructors();
  set_operations();
  freeing();
  give_back(world_group);
  return program.finish();
}
