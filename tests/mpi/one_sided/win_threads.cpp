// SPDX-License-Identifier: BSD-3-Clause
// win_threads [messages]: several threads of a process use a window in one access epoch (MPI_THREAD_MULTIPLE). While a
// call of one thread waits, another thread accesses or flushes the same target, or uses the same datatype.
// "messages": the targets make progress for every operation, so the program can tell when they must have.
#include <sched.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int threads = 4;
constexpr int done_tag = 5;

class Window {
 public:
  /// `numbers`: in each rank.
  Window(std::size_t numbers, bool of_program) : memory_(of_program ? numbers : 0) {
    const auto bytes = static_cast<MPI_Aint>(numbers * sizeof(int));
    if (of_program) {
      base = memory_.data();
      MPI_Win_create(base, bytes, sizeof(int), MPI_INFO_NULL, world, &win);
    } else {
      MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, world, &base, &win);
    }
    std::fill_n(base, numbers, 0);
    MPI_Barrier(world);
  }
  ~Window() { CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  MPI_Win win = MPI_WIN_NULL;
  int* base = nullptr;

 private:
  std::vector<int> memory_;
};

void in_threads(const std::function<void(int thread)>& work) {
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) running.emplace_back(work, thread);
  for (std::thread& each : running) each.join();
}

/// The threads of rank 0 make the first access to the last rank, which has locked itself exclusively until they come.
void first_accesses(bool of_program) {
  constexpr int rounds = 20;
  const Window window(threads + 1, of_program);
  const int target = check::size - 1;
  std::array<int, threads> got;
  for (int round = 0; round < rounds; ++round) {
    if (check::rank == target) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window.win);
    MPI_Barrier(world);
    if (check::rank == target) {
      MPI_Recv(nullptr, 0, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE);
      MPI_Win_unlock(target, window.win);
    } else if (check::rank == 0) {
      MPI_Win_lock_all(0, window.win);
      std::atomic<int> come{0};
      in_threads([&](int thread) {
        const int one = 1;
        if (++come == threads) MPI_Send(nullptr, 0, MPI_INT, target, 0, world);
        MPI_Accumulate(&one, 1, MPI_INT, target, threads, 1, MPI_INT, MPI_SUM, window.win);
        MPI_Put(&round, 1, MPI_INT, target, thread, 1, MPI_INT, window.win);
        MPI_Win_flush(target, window.win);
        MPI_Get(&got[static_cast<std::size_t>(thread)], 1, MPI_INT, target, thread, 1, MPI_INT, window.win);
        MPI_Win_flush(target, window.win);
      });
      CHECK_EQ(MPI_Win_unlock_all(window.win), MPI_SUCCESS);
      for (const int each : got) CHECK_EQ(each, round);
    }
    MPI_Barrier(world);
    // The lock is free again.
    CHECK_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window.win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_unlock(target, window.win), MPI_SUCCESS);
    MPI_Barrier(world);
  }
  MPI_Win_lock(MPI_LOCK_SHARED, check::rank, 0, window.win);
  CHECK_EQ(window.base[threads], check::rank == target ? rounds * threads : 0);
  MPI_Win_unlock(check::rank, window.win);
}

/// The threads use a datatype for the first time, whose description is longer than the room for messages.
void same_datatypes() {
  constexpr int blocks = 30'000, span = 3 * blocks;
  const Window window(std::size_t{threads} * span, true);
  std::vector<int> places(blocks), data(blocks);
  for (int i = 0; i < blocks; ++i) {
    places[static_cast<std::size_t>(i)] = 3 * i + i % 2;
    data[static_cast<std::size_t>(i)] = i + 1;
  }
  for (int round = 0; round < 3; ++round) {
    places[0] = 2 * (round % 2);  // another datatype
    MPI_Datatype type;
    MPI_Type_create_indexed_block(blocks, 1, places.data(), MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Win_lock_all(0, window.win);
    MPI_Put(data.data(), 1, MPI_INT, check::right(), 0, 1, MPI_INT, window.win);  // takes the lock
    MPI_Win_flush(check::right(), window.win);
    in_threads([&](int thread) {
      MPI_Put(data.data(), blocks, MPI_INT, check::right(), MPI_Aint{thread} * span, 1, type, window.win);
      MPI_Win_flush(check::right(), window.win);
    });
    CHECK_EQ(MPI_Win_unlock_all(window.win), MPI_SUCCESS);
    MPI_Type_free(&type);
    MPI_Barrier(world);
    bool right = true;
    for (int i = 0; i < blocks; ++i) {
      for (int thread = 0; thread < threads; ++thread) {
        int& found = window.base[thread * span + places[static_cast<std::size_t>(i)]];
        right = right && found == i + 1;
        found = 0;
      }
    }
    CHECK(right);
    window.base[0] = 0;
    MPI_Barrier(world);
  }
}

// ---- flushes. Ranks 1 and 2 make no progress until rank 0 has come to a certain point.

/// In memory of rank 0 that all share, so that nobody makes progress when it looks at it.
struct Board {
  std::atomic<int> idle;      ///< ranks that make no progress
  std::atomic<int> waits;     ///< whether rank 0 waits for rank 2
  std::atomic<int> flushes;   ///< whether rank 0 flushes what it has put into rank 1
  std::atomic<int> flushed;   ///< whether it believes that to be complete
  std::atomic<int> too_soon;  ///< whether it did so before rank 1 made progress
};

void wait_for(const std::atomic<int>& word, int value) {
  while (word.load() < value) sched_yield();
}

/// Ranks 1 and 2.
void serve(Board& board) {
  MPI_Request end;
  MPI_Irecv(nullptr, 0, MPI_INT, 0, done_tag, world, &end);
  ++board.idle;
  const auto until = [](const std::atomic<int>& word, std::chrono::milliseconds longest) {
    const auto end_of_patience = std::chrono::steady_clock::now() + longest;
    while (word.load() == 0 && std::chrono::steady_clock::now() < end_of_patience) sched_yield();
  };
  if (check::rank == 2) {
    // A call that begins to wait later than that finds the answer there, and shows nothing.
    constexpr std::chrono::milliseconds to_wait{10};
    const std::atomic<int> never{0};
    wait_for(board.waits, 1);
    until(never, to_wait);
  } else {
    constexpr std::chrono::milliseconds to_return{20};
    wait_for(board.flushes, 1);
    until(board.flushed, to_return);
    board.too_soon = board.flushed.load();
  }
  MPI_Wait(&end, MPI_STATUS_IGNORE);
}

/// What another call of this process has completed only locally, or has not waited for, a flush still completes.
void late_flushes(bool by_another_thread) {
  const Window window(1, true);
  Board* board = nullptr;
  MPI_Win shared;
  MPI_Win_allocate_shared(check::rank == 0 ? sizeof(Board) : 0, 1, MPI_INFO_NULL, world, &board, &shared);
  MPI_Aint bytes;
  int unit;
  MPI_Win_shared_query(shared, 0, &bytes, &unit, &board);
  if (check::rank == 0) new (board) Board{};
  MPI_Barrier(world);
  int value = 7, got = 0;
  if (check::rank == 0) {
    MPI_Win_lock_all(0, window.win);
    for (const int target : {1, 2}) {  // takes their locks
      MPI_Put(&got, 1, MPI_INT, target, 0, 1, MPI_INT, window.win);
      MPI_Win_flush(target, window.win);
    }
  }
  MPI_Barrier(world);
  if (check::rank != 0) {
    if (check::rank <= 2) serve(*board);
  } else {
    wait_for(board->idle, 2);
    const auto put = [&] { MPI_Put(&value, 1, MPI_INT, 1, 0, 1, MPI_INT, window.win); };
    if (!by_another_thread) put();
    MPI_Get(&got, 1, MPI_INT, 2, 0, 1, MPI_INT, window.win);
    board->waits = 1;
    if (by_another_thread) {
      std::thread other([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));  // less shows nothing, as above
        put();
      });
      MPI_Win_flush_all(window.win);
      other.join();
    } else {
      MPI_Win_flush_local_all(window.win);
    }
    board->flushes = 1;
    MPI_Win_flush(1, window.win);
    board->flushed = 1;
    for (const int target : {1, 2}) MPI_Send(nullptr, 0, MPI_INT, target, done_tag, world);
    MPI_Win_unlock_all(window.win);
  }
  MPI_Barrier(world);
  CHECK_EQ(board->too_soon.load(), 0);
  CHECK_EQ(window.base[0], check::rank == 1 ? 7 : 0);
  MPI_Win_free(&shared);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check::Program program;
  program.learn();
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  if (check::size > 1) {
    first_accesses(false);
    first_accesses(true);
  }
  same_datatypes();
  if (argc > 1 && std::string(argv[1]) == "messages" && check::size > 2) {
    late_flushes(false);
    late_flushes(true);
  }
  return program.finish();
}
