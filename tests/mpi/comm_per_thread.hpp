// SPDX-License-Identifier: BSD-3-Clause
// What programs share whose threads work at the same time, each on a communicator of its own.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "check.hpp"

namespace comm_per_thread {

inline std::atomic<int> wrong{0};

/// CHECK for threads.
inline void expect(bool holds) {
  if (!holds) ++wrong;
}

/// The program: `work` in each thread, with its communicator and number. Ranks start their threads in different orders.
template <std::size_t threads>
int run(int argc, char** argv, void (*work)(MPI_Comm comm, int number)) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check::Program program;
  program.learn();
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  std::array<MPI_Comm, threads> comms;
  for (MPI_Comm& comm : comms) CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
  std::vector<std::thread> running;
  for (std::size_t i = 0; i < threads; ++i) {
    const std::size_t which = check::rank % 2 == 0 ? i : threads - 1 - i;
    running.emplace_back(work, comms[which], static_cast<int>(which));
  }
  for (std::thread& thread : running) thread.join();
  CHECK_EQ(wrong.load(), 0);
  for (MPI_Comm& comm : comms) CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  return program.finish();
}

}  // namespace comm_per_thread
