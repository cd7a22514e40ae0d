// SPDX-License-Identifier: BSD-3-Clause
// leaving SEED: random work with communicators, then random waits, a last operation of random kind, and the end, to
// which each rank comes at a time of its own. Every rank ends well, whatever others still do.
//
// All ranks draw the same plan from the seed; each draws its own waits.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// The same numbers in all ranks.
class Plan {
 public:
  explicit Plan(std::uint64_t seed) : engine_(seed) {}
  int below(int bound) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(bound)); }

 private:
  std::mt19937_64 engine_;
};

/// Mostly no time or little; sometimes long enough for the others to look after this rank.
void pause_a_little(Plan& own) {
  const int kind = own.below(40);
  if (kind >= 20) return;
  const int milliseconds = kind == 0 ? 700 + own.below(800) : own.below(kind < 10 ? 3 : 20);
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

MPI_Comm split(Plan& plan, MPI_Comm from) {
  int rank;
  MPI_Comm_rank(from, &rank);
  const int colors = 1 + plan.below(3), order = plan.below(2) == 0 ? 1 : -1;
  MPI_Comm made;
  CHECK_EQ(MPI_Comm_split(from, rank % colors, order * rank, &made), MPI_SUCCESS);
  return made;
}

MPI_Comm of_some(Plan& plan) {
  MPI_Group all, some;
  MPI_Comm_group(world, &all);
  std::vector<int> ranks;
  for (int rank = check::size - 1; rank >= 0; --rank) {
    if (plan.below(2) == 0) ranks.push_back(rank);
  }
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
  MPI_Comm made = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_create_group(world, some, plan.below(100), &made), MPI_SUCCESS);
  MPI_Group_free(&all);
  MPI_Group_free(&some);
  return made;
}

MPI_Comm of_two(Plan& plan) {
  const int first_of_second = 1 + plan.below(check::size - 1), tag = plan.below(100);
  const bool second = check::rank >= first_of_second;
  MPI_Comm half, between;
  MPI_Comm_split(world, second, 0, &half);
  CHECK_EQ(MPI_Intercomm_create(half, 0, world, second ? 0 : first_of_second, tag, &between), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
  return between;
}

MPI_Comm in_background(Plan& own) {
  MPI_Comm made;
  MPI_Request request;
  CHECK_EQ(MPI_Comm_idup(world, &made, &request), MPI_SUCCESS);
  pause_a_little(own);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  return made;
}

MPI_Comm make(Plan& plan, Plan& own) {
  MPI_Comm made = MPI_COMM_NULL;
  switch (plan.below(5)) {
    case 0:
      CHECK_EQ(MPI_Comm_dup(world, &made), MPI_SUCCESS);
      return made;
    case 1:
      return split(plan, world);
    case 2:
      return of_some(plan);
    case 3:
      return check::size > 1 ? of_two(plan) : split(plan, world);
    default:
      return in_background(own);
  }
}

/// An operation among the members, and perhaps another one that goes on while the communicator is freed.
void use(Plan& plan, MPI_Comm comm, std::vector<MPI_Request>& left) {
  const int blocking = plan.below(3), going_on = plan.below(3);
  if (comm == MPI_COMM_NULL) return;
  int inter = 0, mine = 1, sum = 0;
  MPI_Comm_test_inter(comm, &inter);
  if (blocking == 0) CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
  if (blocking == 1) CHECK_EQ(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
  if (going_on == 0) CHECK_EQ(MPI_Ibarrier(comm, &left.emplace_back()), MPI_SUCCESS);
  if (going_on == 1 && inter == 0) {
    static int out = 0, in = 0;
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Irecv(&in, 0, MPI_INT, (rank + size - 1) % size, 1, comm, &left.emplace_back());
    MPI_Isend(&out, 0, MPI_INT, (rank + 1) % size, 1, comm, &left.emplace_back());
  }
}

void last_operation(Plan& plan, Plan& own) {
  const int root = plan.below(check::size), kind = plan.below(4);
  pause_a_little(own);
  int value = check::rank, sum = 0;
  if (kind == 0) CHECK_EQ(MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, root, world), MPI_SUCCESS);
  if (kind == 1) CHECK_EQ(MPI_Bcast(&value, 1, MPI_INT, root, world), MPI_SUCCESS);
  if (kind == 2 && check::rank != root) CHECK_EQ(MPI_Send(&value, 1, MPI_INT, root, 2, world), MPI_SUCCESS);
  if (kind == 2 && check::rank == root) {
    const bool from_any = plan.below(2) == 0;
    for (int peer = 0; peer < check::size; ++peer) {
      if (peer == root) continue;
      const int source = from_any ? MPI_ANY_SOURCE : peer;
      CHECK_EQ(MPI_Recv(&value, 1, MPI_INT, source, 2, world, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 0) : 1;
  check::Program program(argc, argv);
  Plan plan(seed), own(seed * 1009 + static_cast<std::uint64_t>(check::rank) + 1);
  std::vector<MPI_Comm> kept;
  std::vector<MPI_Request> left;
  for (int rounds = 1 + plan.below(6); rounds > 0; --rounds) {
    MPI_Comm comm = make(plan, own);
    use(plan, comm, left);
    pause_a_little(own);
    const int fate = plan.below(4);
    if (comm != MPI_COMM_NULL && fate != 0) CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    if (comm != MPI_COMM_NULL) kept.push_back(comm);
  }
  CHECK_EQ(MPI_Waitall(static_cast<int>(left.size()), left.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  const bool frees = plan.below(2) == 0;
  for (MPI_Comm& comm : kept) {
    if (frees) CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  }
  last_operation(plan, own);
  pause_a_little(own);
  const int status = program.finish();
  pause_a_little(own);
  return status;
}
