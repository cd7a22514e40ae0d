// SPDX-License-Identifier: BSD-3-Clause
// win_dead HOW: rank 1 dies while epochs are open with it, and nobody ends the job for that ("silently"); or it dies
// and the launcher ends the job ("openly").
//
// Every call that needs the dead rank ends with MPIX_ERR_PROC_FAILED and a sentence that names it. Memory of the dead
// rank that is mapped may still be read and written.
#include <mpi-ext.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"
#include "departure/silent_death.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int victim = 1;
long number = 7;

struct Window {
  explicit Window(bool of_program) {
    if (of_program) {
      MPI_Win_create(&memory, sizeof memory, sizeof(long), MPI_INFO_NULL, world, &win);
    } else {
      long* base = nullptr;
      MPI_Win_allocate(sizeof memory, sizeof(long), MPI_INFO_NULL, world, &base, &win);
    }
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  }
  long memory = 0;
  MPI_Win win = MPI_WIN_NULL;
};

/// The first failure of these calls.
int first_failure(const std::vector<std::function<int()>>& calls) {
  for (const auto& call : calls) {
    const int code = call();
    if (code != MPI_SUCCESS) return code;
  }
  return MPI_SUCCESS;
}

void expect_loss(const char* what, int code, bool may_succeed = false) {
  int error_class = MPI_SUCCESS, length = 0;
  char sentence[MPI_MAX_ERROR_STRING] = "";
  MPI_Error_class(code, &error_class);
  MPI_Error_string(code, sentence, &length);
  ++check::made;
  if (may_succeed && code == MPI_SUCCESS) return;
  if (error_class == MPIX_ERR_PROC_FAILED && std::string(sentence).find("rank 1") != std::string::npos) return;
  check::report(__FILE__, __LINE__,
                std::string(what) + ": class " + std::to_string(error_class) + ", \"" + sentence + "\"");
}

/// All others wait until the kernel has taken the dead rank's memory away, so that no call still reaches it.
void await_death(int process) {
  while (kill(process, 0) == 0) usleep(1000);
}

/// What a rank does to the memory of the dead one.
void operations(Window& window, const char* name, bool mapped) {
  const MPI_Win win = window.win;
  long result = 0;
  const auto epoch = [&](const std::function<int()>& operation) {
    const int code = first_failure({[&] { return operation(); }, [&] { return MPI_Win_flush(victim, win); }});
    expect_loss(name, code, mapped);
  };
  epoch([&] { return MPI_Put(&number, 1, MPI_LONG, victim, 0, 1, MPI_LONG, win); });
  epoch([&] { return MPI_Get(&result, 1, MPI_LONG, victim, 0, 1, MPI_LONG, win); });
  epoch([&] { return MPI_Fetch_and_op(&number, &result, MPI_LONG, victim, 0, MPI_SUM, win); });
  MPI_Win_unlock_all(win);
}

void fences(Window& window) {
  expect_loss("fence", MPI_Win_fence(0, window.win));
}

/// Rank 1 has posted nothing, and will complete nothing.
void exposures(Window& window, MPI_Group dead) {
  expect_loss("start", MPI_Win_start(dead, 0, window.win));
  expect_loss("post and wait", first_failure({[&] { return MPI_Win_post(dead, 0, window.win); },
                                              [&] { return MPI_Win_wait(window.win); }}));
}

/// Rank 1 holds the lock of rank 0. If it got the lock by a message, rank 0 releases it.
void locks(Window& window, bool by_messages) {
  if (by_messages && check::rank != 0) return;
  const int code = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.win);
  expect_loss("lock", code, by_messages);
  if (by_messages) CHECK_EQ(MPI_Win_unlock(0, window.win), MPI_SUCCESS);
}

void silently() {
  const bool by_messages = std::getenv("BOWLINE_RMA_PATH") != nullptr;
  Window created(true), allocated(false), fenced(false), posted(false), locked(false);
  MPI_Group all, dead;
  MPI_Comm_group(world, &all);
  MPI_Group_incl(all, 1, &victim, &dead);
  for (Window* const each : {&created, &allocated}) {
    MPI_Win_lock_all(0, each->win);
    MPI_Put(&number, 1, MPI_LONG, victim, 0, 1, MPI_LONG, each->win);
    CHECK_EQ(MPI_Win_flush_all(each->win), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Win_fence(0, fenced.win), MPI_SUCCESS);
  if (check::rank == victim) MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, locked.win);
  int process = getpid();
  MPI_Bcast(&process, 1, MPI_INT, victim, world);
  MPI_Barrier(world);
  if (check::rank == victim) silent_death::die();
  await_death(process);
  operations(created, "the program's memory", false);
  operations(allocated, "the library's memory", !by_messages);
  fences(fenced);
  exposures(posted, dead);
  locks(locked, by_messages);
  MPI_Group_free(&all);
  MPI_Group_free(&dead);
  std::printf("rank %d is through, %ld checks failed\n", check::rank, check::failed);
  std::fflush(stdout);
  std::ofstream("over." + std::to_string(check::rank)).flush();
  // A rank that ended now would be named by those that still wait.
  for (int rank = 0; rank < check::size; ++rank) {
    while (rank != victim && access(("over." + std::to_string(rank)).c_str(), F_OK) != 0) usleep(10'000);
  }
}

void openly() {
  Window window(false);
  MPI_Win_lock_all(0, window.win);
  if (check::rank == victim) {
    raise(SIGKILL);
  }
  for (;;) {
    MPI_Accumulate(&number, 1, MPI_LONG, victim, 0, 1, MPI_LONG, MPI_SUM, window.win);
    MPI_Win_flush(victim, window.win);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool hidden = argc > 1 && std::string(argv[1]) == "silently";
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  hidden ? silently() : openly();
  return program.finish();
}
