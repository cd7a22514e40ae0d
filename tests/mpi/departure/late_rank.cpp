// SPDX-License-Identifier: BSD-3-Clause
// Ranks that have freed communicators, done their part and ended have failed nobody, however late the last rank comes.
//
// A rank that waits looks after the others every half second, and nothing tells from outside that it has: so the last
// rank lets time pass. Where that is too short this shows nothing, and fails nothing.
#include <unistd.h>

#include "check.hpp"

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm reversed;
  CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, 0, check::size - check::rank, &reversed), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&reversed), MPI_SUCCESS);
  if (check::rank == check::size - 1) sleep(3);
  int sum = 0;
  CHECK_EQ(MPI_Reduce(&check::rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD), MPI_SUCCESS);
  if (check::rank == 0) CHECK_EQ(sum, check::size * (check::size - 1) / 2);
  return program.finish();
}
