// SPDX-License-Identifier: BSD-3-Clause
// win_synchronization [created]: fences with assertions, post/start/complete/wait, locks, flushes; epochs of different
// kinds on several windows at once. "created": the windows are those of MPI_Win_create.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
bool of_program = false;  // whether the program brings the memory

/// A window with one number for each rank and one more in every rank.
class Window {
 public:
  Window() : memory_(static_cast<std::size_t>(check::size) + 1) {
    const auto bytes = static_cast<MPI_Aint>(memory_.size() * sizeof(long));
    if (of_program) {
      base = memory_.data();
      MPI_Win_create(base, bytes, sizeof(long), MPI_INFO_NULL, world, &win);
    } else {
      MPI_Win_allocate(bytes, sizeof(long), MPI_INFO_NULL, world, &base, &win);
    }
    std::fill_n(base, memory_.size(), 0);
    MPI_Barrier(world);
  }
  ~Window() { CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void put(long value, int rank, MPI_Aint place) const {
    kept_.push_back(std::make_unique<long>(value));
    MPI_Put(kept_.back().get(), 1, MPI_LONG, rank, place, 1, MPI_LONG, win);
  }
  void add(long value, int rank, MPI_Aint place) const {
    kept_.push_back(std::make_unique<long>(value));
    MPI_Accumulate(kept_.back().get(), 1, MPI_LONG, rank, place, 1, MPI_LONG, MPI_SUM, win);
  }

  MPI_Win win = MPI_WIN_NULL;
  long* base = nullptr;

 private:
  std::vector<long> memory_;
  mutable std::vector<std::unique_ptr<long>> kept_;
};

void fences() {
  const Window window;
  const int assertions[] = {0, MPI_MODE_NOSTORE, MPI_MODE_NOPUT, MPI_MODE_NOSTORE | MPI_MODE_NOPUT};
  CHECK_EQ(MPI_Win_fence(MPI_MODE_NOPRECEDE, window.win), MPI_SUCCESS);
  for (int round = 1; round <= 40; ++round) {
    for (int rank = 0; rank < check::size; ++rank) window.put(100 * round + check::rank, rank, check::rank);
    CHECK_EQ(MPI_Win_fence(assertions[round % 4] & ~MPI_MODE_NOPUT, window.win), MPI_SUCCESS);
    for (int rank = 0; rank < check::size; ++rank) CHECK_EQ(window.base[rank], 100 * round + rank);
    CHECK_EQ(MPI_Win_fence(0, window.win), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_fence(MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED, window.win), MPI_SUCCESS);
}

MPI_Group group_of(const std::vector<int>& ranks) {
  MPI_Group all, made;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &made);
  MPI_Group_free(&all);
  return made;
}

/// Each rank writes to its neighbours, the group of which may be one rank, or two, or this one itself.
void neighbours() {
  const Window window;
  std::vector<int> ranks = {check::left()};
  if (check::right() != check::left()) ranks.push_back(check::right());
  MPI_Group group = group_of(ranks);
  for (int round = 1; round <= 40; ++round) {
    CHECK_EQ(MPI_Win_post(group, round % 3 == 0 ? MPI_MODE_NOSTORE : 0, window.win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_start(group, 0, window.win), MPI_SUCCESS);
    for (const int rank : ranks) window.put(100 * round + check::rank, rank, check::rank);
    CHECK_EQ(MPI_Win_complete(window.win), MPI_SUCCESS);
    if (round % 2 == 0) {
      CHECK_EQ(MPI_Win_wait(window.win), MPI_SUCCESS);
    } else {
      for (int flag = 0; flag == 0;) CHECK_EQ(MPI_Win_test(window.win, &flag), MPI_SUCCESS);
    }
    for (const int rank : ranks) CHECK_EQ(window.base[rank], 100 * round + rank);
  }
  MPI_Group_free(&group);
}

/// Rank 0 exposes its memory to all others, which access it at different times; groups are empty at some ranks.
void one_target() {
  const Window window;
  std::vector<int> others(static_cast<std::size_t>(check::size - 1));
  std::iota(others.begin(), others.end(), 1);
  MPI_Group origins = group_of(others), target = group_of({0}), nobody = group_of({});
  for (int round = 1; round <= 10; ++round) {
    CHECK_EQ(MPI_Win_post(check::rank == 0 ? origins : nobody, 0, window.win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_start(check::rank == 0 ? nobody : target, 0, window.win), MPI_SUCCESS);
    if (check::rank != 0) window.add(round, 0, check::size);
    CHECK_EQ(MPI_Win_complete(window.win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_wait(window.win), MPI_SUCCESS);
    if (check::rank == 0) CHECK_EQ(window.base[check::size], (check::size - 1) * round * (round + 1) / 2);
  }
  for (MPI_Group* const each : {&origins, &target, &nobody}) MPI_Group_free(each);
}

/// An exclusive lock protects a read and a write that are not atomic.
void exclusive_locks() {
  const Window window;
  constexpr int rounds = 50;
  for (int i = 0; i < rounds; ++i) {
    for (int rank = 0; rank < check::size; ++rank) {
      long value = -1;
      CHECK_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window.win), MPI_SUCCESS);
      MPI_Get(&value, 1, MPI_LONG, rank, 0, 1, MPI_LONG, window.win);
      MPI_Win_flush(rank, window.win);
      window.put(value + 1, rank, 0);
      CHECK_EQ(MPI_Win_unlock(rank, window.win), MPI_SUCCESS);
    }
  }
  MPI_Barrier(world);
  MPI_Win_lock(MPI_LOCK_SHARED, check::rank, 0, window.win);
  CHECK_EQ(window.base[0], long{rounds} * check::size);
  MPI_Win_unlock(check::rank, window.win);
}

/// Readers see two places that a writer changes together; all ranks take both kinds in turns.
void readers_and_writers() {
  const Window window;
  for (int i = 0; i < 60; ++i) {
    const int rank = (i + check::rank) % check::size;
    if (i % 4 == 0) {
      long value = -1;
      MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, window.win);
      MPI_Get(&value, 1, MPI_LONG, rank, 0, 1, MPI_LONG, window.win);
      MPI_Win_flush(rank, window.win);
      window.put(value + 1, rank, 0);
      MPI_Win_flush(rank, window.win);
      window.put(value + 1, rank, check::size);
      MPI_Win_unlock(rank, window.win);
    } else {
      long first = -1, second = -2;
      MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window.win);
      MPI_Get(&first, 1, MPI_LONG, rank, 0, 1, MPI_LONG, window.win);
      MPI_Get(&second, 1, MPI_LONG, rank, check::size, 1, MPI_LONG, window.win);
      MPI_Win_unlock(rank, window.win);
      CHECK_EQ(first, second);
    }
  }
  MPI_Barrier(world);
}

/// Several locks at once, and none at all.
void many_locks() {
  const Window window;
  for (int rank = 0; rank < check::size; ++rank)
    CHECK_EQ(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window.win), MPI_SUCCESS);
  for (int rank = 0; rank < check::size; ++rank) window.put(check::rank + 1, rank, check::rank);
  CHECK_EQ(MPI_Win_flush_all(window.win), MPI_SUCCESS);
  for (int rank = check::size - 1; rank >= 0; --rank) CHECK_EQ(MPI_Win_unlock(rank, window.win), MPI_SUCCESS);
  MPI_Barrier(world);
  CHECK_EQ(MPI_Win_lock_all(MPI_MODE_NOCHECK, window.win), MPI_SUCCESS);
  for (int rank = 0; rank < check::size; ++rank) {
    long value = -1;
    MPI_Get(&value, 1, MPI_LONG, check::right(), rank, 1, MPI_LONG, window.win);
    CHECK_EQ(MPI_Win_flush_local(check::right(), window.win), MPI_SUCCESS);
    CHECK_EQ(value, rank + 1);
    CHECK_EQ(MPI_Win_flush_local_all(window.win), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Win_sync(window.win), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_unlock_all(window.win), MPI_SUCCESS);
  MPI_Barrier(world);
  for (int i = 0; i < 20; ++i) {  // locks without operations
    CHECK_EQ(MPI_Win_lock(i % 2 == 0 ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, i % check::size, 0, window.win),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Win_unlock(i % check::size, window.win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_lock_all(0, window.win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_unlock_all(window.win), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, window.win), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_unlock(MPI_PROC_NULL, window.win), MPI_SUCCESS);
}

/// Epochs of three kinds at once, each on a window of its own.
void several_windows() {
  const Window fenced, locked, posted;
  MPI_Group all;
  MPI_Comm_group(world, &all);
  for (int round = 1; round <= 10; ++round) {
    MPI_Win_fence(0, fenced.win);
    CHECK_EQ(MPI_Win_lock_all(0, locked.win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_post(all, 0, posted.win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_start(all, 0, posted.win), MPI_SUCCESS);
    for (int rank = 0; rank < check::size; ++rank) {
      for (const Window* const each : {&fenced, &locked, &posted}) each->add(1, rank, check::rank);
    }
    MPI_Win_complete(posted.win);
    MPI_Win_unlock_all(locked.win);
    MPI_Win_wait(posted.win);
    MPI_Win_fence(0, fenced.win);
    MPI_Barrier(world);
    for (int rank = 0; rank < check::size; ++rank) {
      CHECK_EQ(fenced.base[rank], round);
      CHECK_EQ(posted.base[rank], round);
      MPI_Win_lock(MPI_LOCK_SHARED, check::rank, 0, locked.win);
      CHECK_EQ(locked.base[rank], round);
      MPI_Win_unlock(check::rank, locked.win);
    }
    MPI_Barrier(world);
  }
  MPI_Win_fence(MPI_MODE_NOSUCCEED, fenced.win);
  MPI_Group_free(&all);
}

/// Kinds of epochs in turns on one window.
void kinds_in_turns() {
  const Window window;
  MPI_Group all;
  MPI_Comm_group(world, &all);
  for (int round = 1; round <= 10; ++round) {
    MPI_Win_fence(0, window.win);
    window.add(1, check::right(), 0);
    MPI_Win_fence(round % 2 == 0 ? MPI_MODE_NOSUCCEED : 0, window.win);
    MPI_Win_lock(MPI_LOCK_SHARED, check::right(), 0, window.win);
    window.add(1, check::right(), 0);
    MPI_Win_unlock(check::right(), window.win);
    MPI_Win_post(all, 0, window.win);
    MPI_Win_start(all, 0, window.win);
    window.add(1, check::right(), 0);
    MPI_Win_complete(window.win);
    MPI_Win_wait(window.win);
    MPI_Win_fence(0, window.win);
    CHECK_EQ(window.base[0], 3 * round);
  }
  MPI_Group_free(&all);
}

}  // namespace

int main(int argc, char** argv) {
  of_program = argc > 1 && std::string(argv[1]) == "created";
  check::Program program(argc, argv);
  fences();
  neighbours();
  one_target();
  exclusive_locks();
  readers_and_writers();
  many_locks();
  several_windows();
  kinds_in_turns();
  return program.finish();
}
