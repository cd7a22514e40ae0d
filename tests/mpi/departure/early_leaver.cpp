// SPDX-License-Identifier: BSD-3-Clause
// A rank that has called MPI_Finalize and ended has failed nobody: who waits for a message from any source gets that of
// another rank, however much later it comes.
//
// A rank that waits looks after the others every half second, and nothing tells from outside that it has: so the others
// let time pass. Where that is too short this shows nothing, and fails nothing.
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "check.hpp"

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const int leaver = check::size - 1;
  int process = getpid();
  if (check::rank == leaver) {
    for (int peer = 0, token = 0; peer < leaver; ++peer) {
      MPI_Sendrecv(&process, 1, MPI_INT, peer, 0, &token, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    CHECK(process > 0);
    sleep(1);
    return program.finish();
  }
  const int token = 0;
  MPI_Sendrecv(&token, 1, MPI_INT, leaver, 0, &process, 1, MPI_INT, leaver, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  int value = 42;
  if (check::rank == 0) {
    value = 0;
    CHECK_EQ(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
  } else if (check::rank == 1) {
    while (kill(process, 0) == 0 || errno != ESRCH) usleep(1000);
    sleep(1);
    MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
  }
  CHECK_EQ(value, 42);
  return program.finish();
}
