// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE: several threads of each rank play ping-pong with the thread of the same number on the next rank.
#include <atomic>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

constexpr int threads = 4;
constexpr int rounds = 200;

// Runs in a thread of its own; counts instead of CHECK, which is for one thread.
void ping_pong(int tag, std::atomic<int>& wrong) {
  const int peer = check::rank ^ 1;
  std::vector<int> out(5000), in(5000);
  for (int round = 0; round < rounds; ++round) {
    const int length = round % 20 == 0 ? 5000 : 1 + round % 7;  // some are large
    out[0] = out[static_cast<std::size_t>(length) - 1] = round * threads + tag;
    MPI_Status status;
    MPI_Request request;
    MPI_Isend(out.data(), length, MPI_INT, peer, tag, MPI_COMM_WORLD, &request);
    MPI_Recv(in.data(), 5000, MPI_INT, peer, tag, MPI_COMM_WORLD, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    int count = -1;
    MPI_Get_count(&status, MPI_INT, &count);
    if (count != length || in[0] != round * threads + tag || in[static_cast<std::size_t>(length) - 1] != in[0]) ++wrong;
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check::Program program;
  program.learn();
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  CHECK_EQ(check::size % 2, 0);

  std::atomic<int> wrong = 0;
  std::vector<std::jthread> team;
  for (int tag = 0; tag < threads; ++tag) team.emplace_back([tag, &wrong] { ping_pong(tag, wrong); });
  team.clear();  // joins
  CHECK_EQ(wrong.load(), 0);
  return program.finish();
}
