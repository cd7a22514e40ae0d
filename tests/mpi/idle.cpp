// SPDX-License-Identifier: BSD-3-Clause
// idle SECONDS: all ranks but the last wait in MPI_Recv for the last one, which sleeps outside of MPI for so long. Each
// prints "rank R waited W s, used C s": the processor time that waiting took it.
#include <sys/resource.h>
#include <time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "check.hpp"

namespace {

double processor_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void sleep_outside(double seconds) {
  const double end = wall_seconds() + seconds;
  for (double left = seconds; left > 0; left = end - wall_seconds()) {
    const timespec rest{static_cast<time_t>(left), static_cast<long>((left - static_cast<long>(left)) * 1e9)};
    nanosleep(&rest, nullptr);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 1;
  check::Program program(argc, argv);
  const int last = check::size - 1;
  int value = 0;
  // The way to everybody is there before time is taken: what the first barrier sends may wait for a connection, and
  // leave only when the last rank is in MPI again.
  for (int i = 0; i < 2; ++i) MPI_Barrier(MPI_COMM_WORLD);
  if (check::rank == last) {
    sleep_outside(seconds);
    value = 42;
    for (int peer = 0; peer < last; ++peer) MPI_Send(&value, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
  } else {
    const double wall = wall_seconds(), processor = processor_seconds();
    MPI_Recv(&value, 1, MPI_INT, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    std::printf("rank %d waited %.3f s, used %.4f s\n", check::rank, wall_seconds() - wall,
                processor_seconds() - processor);
  }
  CHECK_EQ(value, 42);
  return program.finish();
}
