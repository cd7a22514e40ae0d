// SPDX-License-Identifier: BSD-3-Clause
// flight END: ranks exchange messages, and call more collectives than a flight recorder keeps events; then rank 1 kills
// itself if END is "killed", and all ranks end properly if it is "finalized". For tests of flight recorders.
#include <csignal>
#include <string_view>

#include "check.hpp"

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  constexpr int rounds = 500;
  const int next = (check::rank + 1) % check::size, before = (check::rank + check::size - 1) % check::size;
  for (int round = 0; round < rounds; ++round) {
    int got = -1;
    CHECK_EQ(MPI_Sendrecv(&round, 1, MPI_INT, next, 1, &got, 1, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(got, round);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
  }
  int sum = 0;
  CHECK_EQ(MPI_Allreduce(&check::rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
  if (std::string_view(argv[1]) == "killed") {
    if (check::rank == 1) std::raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  return program.finish();
}
