// SPDX-License-Identifier: BSD-3-Clause
// All ranks but the last wait in MPI_Recv for the last one, which is outside of MPI until each of them has slept many
// times. Each prints "rank R slept S times, yielded Y times, waited W s" of its wait.
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

constexpr long many_sleeps = 20;
long yields = 0;

/// How often the process's first thread has gone to sleep; -1 if it is not there.
long sleeps_of(int process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  const std::string what = "voluntary_ctxt_switches:";
  for (std::string word; status >> word;) {
    long count = -1;
    if (word == what && status >> count) return count;
  }
  return -1;
}

void await_sleeps(const std::vector<int>& processes) {
  std::vector<long> before;
  for (const int process : processes) before.push_back(sleeps_of(process));
  for (std::size_t i = 0; i + 1 < processes.size();) {
    const long now = sleeps_of(processes[i]);
    if (!CHECK(now >= 0)) return;
    if (now - before[i] >= many_sleeps) {
      ++i;
    } else {
      usleep(10'000);
    }
  }
}

}  // namespace

// In place of the C library's.
extern "C" int sched_yield() noexcept {
  ++yields;
  return static_cast<int>(syscall(SYS_sched_yield));
}

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const int last = check::size - 1;
  const int process = getpid();
  std::vector<int> processes(static_cast<std::size_t>(check::size));
  MPI_Gather(&process, 1, MPI_INT, processes.data(), 1, MPI_INT, last, MPI_COMM_WORLD);
  int value = 0;
  // The way to everybody is there before anything is counted: what the first barrier sends may wait for a connection,
  // and leave only when the last rank is in MPI again.
  for (int i = 0; i < 2; ++i) MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank == last) {
    await_sleeps(processes);
    value = 42;
    for (int peer = 0; peer < last; ++peer) MPI_Send(&value, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
  } else {
    const auto began = std::chrono::steady_clock::now();
    const long slept_before = sleeps_of(process), yielded_before = yields;
    MPI_Recv(&value, 1, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - began;
    std::printf("rank %d slept %ld times, yielded %ld times, waited %.3f s\n", check::rank,
                sleeps_of(process) - slept_before, yields - yielded_before, waited.count());
  }
  CHECK_EQ(value, 42);
  return program.finish();
}
