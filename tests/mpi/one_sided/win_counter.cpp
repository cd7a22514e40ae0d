// SPDX-License-Identifier: BSD-3-Clause
// win_counter: one counter of rank 0, and one number of each other type, that neighbours and ranks of other nodes
// accumulate to at the same time, by every operation that does so.
#include <cstdint>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int rounds = 300;

template <class T>
void count(MPI_Datatype type, bool swaps, bool of_program) {
  T memory[4] = {};
  T* base = memory;
  MPI_Win win;
  if (of_program) {
    MPI_Win_create(memory, sizeof memory, sizeof(T), MPI_INFO_NULL, world, &win);
  } else {
    MPI_Win_allocate(sizeof memory, sizeof(T), MPI_INFO_NULL, world, &base, &win);
    for (int i = 0; i < 4; ++i) base[i] = 0;
  }
  MPI_Barrier(world);
  const T one = 1;
  std::vector<T> seen;
  MPI_Win_lock_all(0, win);
  for (int i = 0; i < rounds; ++i) {
    T old = 0;
    switch ((i + check::rank) % (swaps ? 4 : 3)) {
      case 0:
        MPI_Accumulate(&one, 1, type, 0, 1, 1, type, MPI_SUM, win);
        break;
      case 1:
        MPI_Get_accumulate(&one, 1, type, &old, 1, type, 0, 1, 1, type, MPI_SUM, win);
        break;
      case 2:
        MPI_Fetch_and_op(&one, &old, type, 0, 1, MPI_SUM, win);
        break;
      default:
        MPI_Fetch_and_op(nullptr, &old, type, 0, 1, MPI_NO_OP, win);
        MPI_Win_flush(0, win);
        for (T guess = old;; guess = old) {
          const T next = static_cast<T>(guess + 1);
          MPI_Compare_and_swap(&next, &guess, &old, type, 0, 1, win);
          MPI_Win_flush(0, win);
          if (old == guess) break;
        }
    }
    // Tickets are given once only.
    T ticket = 0;
    MPI_Fetch_and_op(&one, &ticket, type, 0, 2, MPI_SUM, win);
    MPI_Win_flush(0, win);
    seen.push_back(ticket);
  }
  MPI_Win_unlock_all(win);
  std::vector<T> all(static_cast<std::size_t>(rounds * check::size));
  MPI_Gather(seen.data(), rounds, type, all.data(), rounds, type, 0, world);
  if (check::rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win);
    CHECK_EQ(static_cast<long>(base[1]), long{rounds} * check::size);
    MPI_Win_unlock(0, win);
    std::vector<bool> given(all.size());
    for (const T ticket : all) {
      const auto place = static_cast<std::size_t>(ticket);
      if (!CHECK(place < given.size() && !given[place])) break;
      given[place] = true;
    }
  }
  CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  for (const bool of_program : {false, true}) {
    count<std::int64_t>(MPI_INT64_T, true, of_program);
    count<int>(MPI_INT, true, of_program);
    count<short>(MPI_SHORT, true, of_program);
    count<double>(MPI_DOUBLE, false, of_program);
    count<float>(MPI_FLOAT, false, of_program);
  }
  return program.finish();
}
