// SPDX-License-Identifier: BSD-3-Clause
// win_progress WAY [PUT_ONLY]: rank 1 computes for two seconds without a call of MPI. Meanwhile rank 0 puts to it,
// gets, accumulates, locks and flushes, which needs nothing of rank 1. WAY: mapped (the library's memory) or
// single_copy (the program's). "put": puts, gets and flushes only, under a lock that was taken before.
#include <chrono>
#include <string>
#include <thread>

#include "check.hpp"

namespace {

using Clock = std::chrono::steady_clock;
const MPI_Comm world = MPI_COMM_WORLD;
constexpr std::chrono::seconds computing{2};
constexpr std::chrono::milliseconds at_once{800};

void compute() {
  volatile double sum = 0;
  for (const auto end = Clock::now() + computing; Clock::now() < end;) sum = sum + 1;
}

void operate(MPI_Win win, bool put_only) {
  long value = 7, got = 0, one = 1, old = -1, wanted = 8, found = -1;
  if (!put_only) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
  MPI_Put(&value, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
  MPI_Win_flush(1, win);
  MPI_Get(&got, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
  MPI_Win_flush(1, win);
  CHECK_EQ(got, 7);
  if (put_only) return;
  MPI_Fetch_and_op(&one, &old, MPI_LONG, 1, 0, MPI_SUM, win);
  MPI_Win_flush(1, win);
  CHECK_EQ(old, 7);
  MPI_Compare_and_swap(&value, &wanted, &found, MPI_LONG, 1, 0, win);
  MPI_Win_flush(1, win);
  CHECK_EQ(found, 8);
  const double real = 1.5;
  MPI_Accumulate(&real, 1, MPI_DOUBLE, 1, 1, 1, MPI_DOUBLE, MPI_SUM, win);
  MPI_Win_unlock(1, win);
}

}  // namespace

int main(int argc, char** argv) {
  const bool single_copy = argc > 1 && std::string(argv[1]) == "single_copy";
  const bool put_only = argc > 2;
  check::Program program(argc, argv);
  alignas(8) char own[2 * sizeof(long)] = {};
  long* base = reinterpret_cast<long*>(own);
  MPI_Win win;
  if (single_copy) {
    MPI_Win_create(own, sizeof own, sizeof(long), MPI_INFO_NULL, world, &win);
  } else {
    MPI_Win_allocate(sizeof own, sizeof(long), MPI_INFO_NULL, world, &base, &win);
    base[0] = base[1] = 0;
  }
  // First contact may need the target.
  if (put_only && check::rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
    operate(win, true);
  }
  MPI_Barrier(world);
  if (check::rank == 1) compute();
  if (check::rank == 0) {
    const auto begin = Clock::now();
    operate(win, put_only);
    CHECK(Clock::now() - begin < at_once);
    if (put_only) MPI_Win_unlock(1, win);
  }
  MPI_Barrier(world);
  if (check::rank == 1) CHECK_EQ(base[0], 7);
  CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
  return program.finish();
}
