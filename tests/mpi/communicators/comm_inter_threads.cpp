// SPDX-License-Identifier: BSD-3-Clause
// Threads that make intercommunicators at the same time between the same groups and with the same tag, each with peer
// and local communicators of its own.
#include "comm_per_thread.hpp"

namespace {

using comm_per_thread::expect;

void work(MPI_Comm parent, int number) {
  int size, rank;
  MPI_Comm_size(parent, &size);
  MPI_Comm_rank(parent, &rank);
  const int first_of_second = size / 2;
  const bool second = rank >= first_of_second;
  MPI_Comm half;
  expect(MPI_Comm_split(parent, second, 0, &half) == MPI_SUCCESS);
  for (int round = 0; round < 20; ++round) {
    MPI_Comm between, whole;
    expect(MPI_Intercomm_create(half, 0, parent, second ? 0 : first_of_second, 0, &between) == MPI_SUCCESS);
    int mine = number * 1000 + round, theirs = -1, most = -1;
    expect(MPI_Allreduce(&mine, &theirs, 1, MPI_INT, MPI_MAX, between) == MPI_SUCCESS);
    expect(theirs == mine);
    expect(MPI_Intercomm_merge(between, second, &whole) == MPI_SUCCESS);
    expect(MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, whole) == MPI_SUCCESS);
    expect(most == mine);
    expect(MPI_Comm_free(&whole) == MPI_SUCCESS);
    expect(MPI_Comm_free(&between) == MPI_SUCCESS);
  }
  expect(MPI_Comm_free(&half) == MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  return comm_per_thread::run<4>(argc, argv, work);
}
