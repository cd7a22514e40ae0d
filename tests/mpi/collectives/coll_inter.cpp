// SPDX-License-Identifier: BSD-3-Clause
// Every collective operation between two groups: sizes of the groups, roots on either side, forms, counts, datatypes.
#include <chrono>
#include <thread>

#include "coll_reduce.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

// The first `first` processes on one side, the others on the other.
MPI_Comm bridge(int first) {
  MPI_Comm group, made;
  const bool low = check::rank < first;
  MPI_Comm_split(world, low ? 0 : 1, check::rank, &group);
  CHECK_EQ(MPI_Intercomm_create(group, 0, world, low ? first : 0, 5, &made), MPI_SUCCESS);
  MPI_Comm_free(&group);
  return made;
}

void all_cases(int first, const std::vector<coll::Layout>& layouts) {
  MPI_Comm comm = bridge(first);
  const coll::Sides sides(comm);
  const bool low = check::rank < first;
  const std::vector<coll::Combination> hows = {{MPI_UNSIGNED, sizeof(unsigned), MPI_SUM},
                                               {MPI_SHORT, sizeof(short), MPI_MIN}};
  std::size_t number = 0;
  for (const int count : {0, 1, 200, 6000}) {
    for (const bool root_is_low : {false, true}) {
      const int group = root_is_low ? first : check::size - first;
      for (const int root : {0, group - 1}) {
        for (const coll::Form form : coll::forms) {
          const std::size_t n = number++;
          const coll::Case c{form,
                             n / 3 % 2 == 0,
                             false,
                             count,
                             root,
                             root_is_low == low,
                             layouts[n % layouts.size()],
                             layouts[(n + n / 3) % layouts.size()],
                             static_cast<int>(n)};
          coll::all_data(sides, c);
          coll::all_reductions(sides, c, hows[n % hows.size()]);
        }
      }
    }
  }
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

// A barrier between groups: no process leaves it before each process of the other group has entered. The time of the
// late one's entry travels after the barrier; all processes of the test run on one kernel and share its clock.
void barrier_holds() {
  using Clock = std::chrono::steady_clock;
  const int first = check::size / 2;
  MPI_Comm comm = bridge(first);
  const coll::Sides sides(comm);
  for (int late = 0; late < check::size; ++late) {
    const bool is_late = check::rank == late;
    // So that a process which does not wait for the late one leaves before it enters.
    if (is_late) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    long long entered = Clock::now().time_since_epoch().count();
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    const long long left = Clock::now().time_since_epoch().count();
    for (int peer = 0; is_late && peer < sides.peers; ++peer) MPI_Send(&entered, 1, MPI_LONG_LONG, peer, 6, comm);
    const bool other_side = (late < first) != (check::rank < first);
    if (!other_side) continue;
    MPI_Recv(&entered, 1, MPI_LONG_LONG, late < first ? late : late - first, 6, comm, MPI_STATUS_IGNORE);
    CHECK(left >= entered);
  }
  MPI_Comm_free(&comm);
}

// What MPI does not define between groups, and roots that are none.
void misuse() {
  MPI_Comm comm = bridge(1);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const auto class_of = [](int code) {
    int found = -1;
    MPI_Error_class(code, &found);
    return found;
  };
  int in = 1, out[16];
  MPI_Request request;
  CHECK_EQ(class_of(MPI_Scan(&in, out, 1, MPI_INT, MPI_SUM, comm)), MPI_ERR_COMM);
  CHECK_EQ(class_of(MPI_Iexscan(&in, out, 1, MPI_INT, MPI_SUM, comm, &request)), MPI_ERR_COMM);
  CHECK_EQ(class_of(MPI_Neighbor_allgather(&in, 1, MPI_INT, out, 1, MPI_INT, comm)), MPI_ERR_COMM);
  CHECK_EQ(class_of(MPI_Bcast(&in, 1, MPI_INT, 16, comm)), MPI_ERR_ROOT);
  CHECK_EQ(class_of(MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, comm)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Alltoall(MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, comm)), MPI_ERR_BUFFER);
  CHECK_EQ(class_of(MPI_Gather(MPI_IN_PLACE, 1, MPI_INT, out, 1, MPI_INT, 0, comm)), MPI_ERR_BUFFER);
  CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  auto layouts = coll::make_layouts();
  all_cases(1, layouts);
  if (check::size > 2) all_cases(check::size / 2, layouts);
  if (check::size > 3) all_cases(check::size - 1, layouts);
  barrier_holds();
  misuse();
  coll::free_layouts(layouts);
  return program.finish();
}
