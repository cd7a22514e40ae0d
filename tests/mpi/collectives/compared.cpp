// SPDX-License-Identifier: BSD-3-Clause
// Ranks of one node that compare algorithms in their own calls: every result is right while they try the candidates,
// when they add up their times, and afterwards; also if other lengths, other communicators and operations that do not
// block are mixed in.
#include <string>
#include <vector>

#include "check.hpp"
#include "every_operation.hpp"

namespace {

constexpr int calls = 24;  // more than the first comparison needs

using Check = void (*)(MPI_Comm, int, int);
constexpr Check checks[] = {every::bcast,         every::gather,   every::scatter,   every::allgather,
                            every::allgatherv,    every::alltoall, every::alltoallv, every::reduce,
                            every::allreduce,     every::scan,     every::exscan,    every::reduce_scatter_block,
                            every::reduce_scatter};
constexpr int lengths[] = {1000, 6000, 40000};  // of eight bytes each

void one_after_the_other(MPI_Comm comm) {
  for (const Check check : checks) {
    for (const int length : lengths) {
      for (int call = 0; call < calls; ++call) check(comm, length, call % check::size);
    }
  }
}

void all_mixed(MPI_Comm comm) {
  for (int call = 0; call < calls; ++call) {
    for (const int length : lengths) {
      for (const Check check : checks) check(comm, length + call, call % check::size);
    }
  }
}

/// A member may be in a later operation that does not block while another one still compares.
void with_pending_operations(MPI_Comm comm) {
  constexpr int length = 30000;
  constexpr std::size_t pending = 4;
  std::vector<std::vector<double>> sums(pending, std::vector<double>(length));
  std::vector<double> data(length), operand(length, check::rank + 1.0), sum(length);
  for (int call = 0; call < calls; ++call) {
    const int root = call % check::size;
    std::vector<MPI_Request> requests(pending + 1);
    for (std::size_t i = 0; i < pending; ++i)
      MPI_Iallreduce(operand.data(), sums[i].data(), length, MPI_DOUBLE, MPI_SUM, comm, &requests[i]);
    data.assign(length, check::rank == root ? call : -1);
    MPI_Ibcast(data.data(), length, MPI_DOUBLE, root, comm, &requests[pending]);
    MPI_Allreduce(operand.data(), sum.data(), length, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    sums.push_back(sum);
    const double expected = check::size * (check::size + 1) / 2.0;
    for (const std::vector<double>& each : sums) CHECK(each == std::vector<double>(length, expected));
    sums.pop_back();
    CHECK(data == std::vector<double>(length, call));
    MPI_Bcast(data.data(), length, MPI_DOUBLE, root, comm);
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const std::string what = argc > 1 ? argv[1] : "all";
  if (what == "all") one_after_the_other(MPI_COMM_WORLD);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (what == "all" || what == "mixed") all_mixed(comm);
  MPI_Comm_free(&comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (what == "all") with_pending_operations(comm);
  MPI_Comm_free(&comm);
  return program.finish();
}
