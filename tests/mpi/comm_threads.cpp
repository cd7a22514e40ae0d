// SPDX-License-Identifier: BSD-3-Clause
// Threads that make communicators at the same time, each of a parent of its own, in whatever order they come.
#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

constexpr std::size_t threads = 6;
std::atomic<int> wrong{0};

void expect(bool holds) {
  if (!holds) ++wrong;
}

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
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check::Program program;
  program.learn();
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  std::array<MPI_Comm, threads> parents;
  for (MPI_Comm& parent : parents) CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &parent), MPI_SUCCESS);
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t which = check::rank % 2 == 0 ? i : threads - 1 - i;
    running.emplace_back(work, parents[which], static_cast<int>(which));
  }
  for (std::thread& thread : running) thread.join();
  CHECK_EQ(wrong.load(), 0);
  for (MPI_Comm& parent : parents) CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
  return program.finish();
}
