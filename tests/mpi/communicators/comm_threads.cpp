// SPDX-License-Identifier: BSD-3-Clause
// Threads that make communicators at the same time, each of a parent of its own, in whatever order they come.
#include "comm_per_thread.hpp"

namespace {

using comm_per_thread::expect;

// Makes communicators in several ways; the messages of one thread must not meet those of another.
void work(MPI_Comm parent, int number) {
  int size, rank;
  MPI_Comm_size(parent, &size);
  MPI_Comm_rank(parent, &rank);
  for (int round = 0; round < 40; ++round) {
    MPI_Comm duplicate, half;
    MPI_Request request;
    expect(MPI_Comm_idup(parent, &duplicate, &request) == MPI_SUCCESS);
    expect(MPI_Comm_split(parent, rank % 2, 0, &half) == MPI_SUCCESS);
    expect(MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    int mine = number * 1000 + round, least = -1, most = -1;
    expect(MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, duplicate) == MPI_SUCCESS);
    expect(MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, half) == MPI_SUCCESS);
    expect(least == mine && most == mine);
    int told = -1;
    MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &told, 1, MPI_INT, (rank + size - 1) % size, 0, duplicate,
                 MPI_STATUS_IGNORE);
    expect(told == mine);
    expect(MPI_Comm_free(&half) == MPI_SUCCESS);
    expect(MPI_Comm_free(&duplicate) == MPI_SUCCESS);
  }
}

}  // namespace

int main(int argc, char** argv) {
  return comm_per_thread::run<6>(argc, argv, work);
}
