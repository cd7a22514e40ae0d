// SPDX-License-Identifier: BSD-3-Clause
// With BOWLINE_CHECK_COLLECTIVES=1 ranks that call different collectives, or one with arguments that do not belong
// together, all get an error, and can go on. Calls that belong together are left alone. With the name of a mistake as
// argument only that one is made, and is fatal. It is fatal without the check, too, at a rank that waits for a rank
// with another call; if no rank does, the wait is a deadlock.
#include <map>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

void expect(int code, int expected_class) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  CHECK_EQ(error_class, expected_class);
}

/// The next collective is served as if nothing had happened.
void go_on() {
  int sum = 0;
  const int one = 1;
  CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world), MPI_SUCCESS);
  CHECK_EQ(sum, check::size);
}

// Example 4.22 of the lecture notes: two broadcasts in opposite order.
void broadcasts_in_opposite_order() {
  int var1 = 1, var2 = 2;
  const int first = check::rank == 0 ? 0 : 1;
  expect(MPI_Bcast(&var1, 1, MPI_INT, first, world), MPI_ERR_ROOT);
  expect(MPI_Bcast(&var2, 1, MPI_INT, 1 - first, world), MPI_ERR_ROOT);
  go_on();
}

void different_operations() {
  int value = 0;
  const int last = check::size - 1;
  const int code = check::rank == last ? MPI_Barrier(world) : MPI_Bcast(&value, 1, MPI_INT, 0, world);
  expect(code, MPI_ERR_OTHER);
  go_on();
}

void a_barrier_at_the_root() {
  int value = 0;
  expect(check::rank == 0 ? MPI_Barrier(world) : MPI_Bcast(&value, 1, MPI_INT, 0, world), MPI_ERR_OTHER);
  go_on();
}

void nonblocking_in_another_order() {
  int value = check::rank, sum = 0;
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (const int which : {0, 1}) {
    if (which == (check::rank == 0 ? 0 : 1)) {
      MPI_Iallreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, world, &requests[0]);
    } else {
      MPI_Ibcast(&value, 1, MPI_INT, 0, world, &requests[1]);
    }
  }
  for (MPI_Request& request : requests) expect(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
  go_on();
}

void one_more_at_the_root() {
  go_on();  // now they share memory
  int value = 0;
  if (check::rank == 0) {
    expect(MPI_Bcast(&value, 1, MPI_INT, 0, world), MPI_ERR_OTHER);
  } else {
    expect(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, world), MPI_ERR_OTHER);
  }
  go_on();
}

/// The forms are matched apart from each other, but all calls are in one order.
void a_barrier_before_a_nonblocking_broadcast() {
  int value = check::rank;
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (check::rank == 0) code = MPI_Barrier(world);
  MPI_Ibcast(&value, 1, MPI_INT, 0, world, &request);
  if (check::rank != 0) code = MPI_Barrier(world);
  expect(code, MPI_ERR_OTHER);
  expect(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
  go_on();
}

void different_operators() {
  int in = 1, out = 0;
  expect(MPI_Allreduce(&in, &out, 1, MPI_INT, check::rank == 1 ? MPI_MAX : MPI_SUM, world), MPI_ERR_OP);
  go_on();
}

void different_types() {
  int in[4] = {}, out[4] = {};
  expect(MPI_Reduce(in, out, 4, check::rank == 1 ? MPI_FLOAT : MPI_INT, MPI_SUM, 0, world), MPI_ERR_TYPE);
  go_on();
}

void different_lengths() {
  const int count = check::rank == 1 ? 3 : 2;
  std::vector<int> in(3), out(3 * static_cast<std::size_t>(check::size));
  expect(MPI_Allgather(in.data(), count, MPI_INT, out.data(), count, MPI_INT, world), MPI_ERR_COUNT);
  go_on();
}

void different_forms() {
  MPI_Request request = MPI_REQUEST_NULL;
  int code = MPI_SUCCESS;
  if (check::rank == 1) {
    CHECK_EQ(MPI_Ibarrier(world, &request), MPI_SUCCESS);
    code = MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    code = MPI_Barrier(world);
  }
  expect(code, MPI_ERR_OTHER);
  go_on();
}

// Ranks that make a communicator meet ranks that do not.
void a_communicator_or_data() {
  int value = 0;
  MPI_Comm made = MPI_COMM_NULL;
  const int code = check::rank == 0 ? MPI_Comm_split(world, 0, 0, &made) : MPI_Bcast(&value, 1, MPI_INT, 0, world);
  expect(code, MPI_ERR_OTHER);
  go_on();
}

void different_rules() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Comm_dup(world, &comm);
  MPI_Info_create(&info);
  MPI_Info_set(info, "bowline_collectives", check::rank == 0 ? "barrier=central" : "barrier=dissemination");
  MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
  expect(MPI_Barrier(comm), MPI_ERR_OTHER);
  MPI_Comm_free(&comm);
  go_on();
}

/// No rank waits for another one, so only MPI_Finalize can tell. The collective before makes the connections.
void different_roots_at_last() {
  go_on();
  int value = 0;
  CHECK_EQ(MPI_Bcast(&value, 1, MPI_INT, check::rank, world), MPI_SUCCESS);
}

void one_more_at_last() {
  go_on();
  int value = 0;
  if (check::rank == 0) CHECK_EQ(MPI_Bcast(&value, 1, MPI_INT, 0, world), MPI_SUCCESS);
}

/// Different things that may differ: datatypes of the same signature, blocks of different lengths, MPI_IN_PLACE.
void what_belongs_together() {
  const auto ranks = static_cast<std::size_t>(check::size);
  std::vector<int> in(4 * ranks, check::rank), out(4 * ranks * ranks);
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  const bool root = check::rank == 0;
  CHECK_EQ(MPI_Bcast(in.data(), root ? 4 : 2, root ? MPI_INT : pair, 0, world), MPI_SUCCESS);
  CHECK_EQ(MPI_Gather(root ? MPI_IN_PLACE : in.data(), 4, MPI_INT, out.data(), 2, pair, 0, world), MPI_SUCCESS);
  CHECK_EQ(MPI_Scatter(out.data(), 4, MPI_INT, root ? MPI_IN_PLACE : in.data(), 2, pair, 0, world), MPI_SUCCESS);
  std::vector<int> counts, places;
  int total = 0;
  for (int rank = 0; rank < check::size; ++rank) {
    counts.push_back(rank);
    places.push_back(total);
    total += rank;
  }
  CHECK_EQ(MPI_Allgatherv(in.data(), check::rank, MPI_INT, out.data(), counts.data(), places.data(), MPI_INT, world),
           MPI_SUCCESS);
  CHECK_EQ(MPI_Allgather(in.data(), 2, MPI_INT, out.data(), 1, pair, world), MPI_SUCCESS);
  CHECK_EQ(MPI_Alltoall(in.data(), 4, MPI_INT, out.data(), 2, pair, world), MPI_SUCCESS);
  std::vector<int> ones(ranks, 1);
  CHECK_EQ(MPI_Reduce_scatter(in.data(), out.data(), ones.data(), MPI_INT, MPI_SUM, world), MPI_SUCCESS);
  CHECK_EQ(MPI_Reduce(root ? MPI_IN_PLACE : in.data(), in.data(), 4, MPI_INT, MPI_SUM, 0, world), MPI_SUCCESS);
  CHECK_EQ(MPI_Scan(MPI_IN_PLACE, in.data(), 4, MPI_INT, MPI_SUM, world), MPI_SUCCESS);
  MPI_Comm half = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_split(world, check::rank % 2, 0, &half), MPI_SUCCESS);
  CHECK_EQ(MPI_Barrier(half), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
  CHECK_EQ(MPI_Type_free(&pair), MPI_SUCCESS);
  go_on();
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const std::map<std::string, void (*)()> mistakes = {{"broadcasts", broadcasts_in_opposite_order},
                                                      {"operations", different_operations},
                                                      {"barrier", a_barrier_at_the_root},
                                                      {"order", nonblocking_in_another_order},
                                                      {"mixed", a_barrier_before_a_nonblocking_broadcast},
                                                      {"number", one_more_at_the_root},
                                                      {"operators", different_operators},
                                                      {"types", different_types},
                                                      {"lengths", different_lengths},
                                                      {"forms", different_forms},
                                                      {"communicator", a_communicator_or_data},
                                                      {"rules", different_rules}};
  const std::map<std::string, void (*)()> last_mistakes = {{"last_roots", different_roots_at_last},
                                                           {"last_more", one_more_at_last}};
  if (argc > 1) {
    (last_mistakes.contains(argv[1]) ? last_mistakes : mistakes).at(argv[1])();
    return program.finish();
  }
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  what_belongs_together();
  for (const auto& [name, make] : mistakes) make();
  what_belongs_together();
  return program.finish();
}
