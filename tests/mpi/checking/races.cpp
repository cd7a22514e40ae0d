// SPDX-License-Identifier: BSD-3-Clause
// Races between the accesses of three ranks that BOWLINE_CHECK=epochs and rivals tell of, and right programs that are
// like them. The arguments: the names of what is done. Line numbers are expected: the comment behind a line names it.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
int rank = 0;

constexpr int numbers = 8;
volatile int memory[numbers];

/// A window over `memory`; everybody can access the memory of rank 1.
class Window {
 public:
  Window() {
    for (volatile int& number : memory) number = 4;
    MPI_Win_create(const_cast<int*>(memory), sizeof memory, sizeof(int), MPI_INFO_NULL, world, &handle_);
  }
  ~Window() { MPI_Win_free(&handle_); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  MPI_Win operator*() const { return handle_; }

 private:
  MPI_Win handle_ = MPI_WIN_NULL;
};

int one = 1, result = 0;

void put(MPI_Win win, int at = 0, int target = 1) {
  MPI_Put(&one, 1, MPI_INT, target, at, 1, MPI_INT, win);
}
void get(MPI_Win win) {
  MPI_Get(&result, 1, MPI_INT, 1, 0, 1, MPI_INT, win);
}
void add(MPI_Win win) {
  MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, win);
}
/// After this, `to` knows what this rank has done.
void tell(int to) {
  MPI_Send(nullptr, 0, MPI_INT, to, 0, world);
}
void hear(int from) {
  MPI_Recv(nullptr, 0, MPI_INT, from, 0, world, MPI_STATUS_IGNORE);
}

// ---- races

void fence_put_put() {
  const Window win;
  MPI_Win_fence(0, *win);
  if (rank == 0) MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, *win);  // fence: put of rank 0
  if (rank == 2) MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, *win);  // fence: put of rank 2
  MPI_Win_fence(0, *win);
  MPI_Win_fence(0, *win);
}

void fence_accumulates() {
  const Window win;
  MPI_Win_fence(0, *win);
  const MPI_Op op = rank == 0 ? MPI_SUM : MPI_PROD;
  if (rank != 1) MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, op, *win);  // fence: accumulates
  MPI_Win_fence(0, *win);
}

void lock_put_get() {
  const Window win;
  MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, *win);
  if (rank == 0) MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, *win);     // lock: put
  if (rank == 2) MPI_Get(&result, 1, MPI_INT, 1, 0, 1, MPI_INT, *win);  // lock: get
  MPI_Win_unlock(1, *win);
}

void lock_all_put_add() {
  const Window win;
  MPI_Win_lock_all(0, *win);
  MPI_Barrier(world);
  if (rank == 0) MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, *win);                  // lock all: put
  if (rank == 2) MPI_Accumulate(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, MPI_SUM, *win);  // lock all: accumulate
  MPI_Win_unlock_all(*win);
}

/// Rank 1 lets these ranks access its memory in one epoch.
void expose(MPI_Win win, std::initializer_list<int> origins, const std::function<void()>& access) {
  MPI_Group all = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
  MPI_Comm_group(world, &all);
  const int target = 1;
  bool takes_part = rank == target;
  for (const int origin : origins) takes_part = takes_part || rank == origin;
  if (rank == target) {
    MPI_Group_incl(all, static_cast<int>(origins.size()), origins.begin(), &group);
    MPI_Win_post(group, 0, win);
    MPI_Win_wait(win);
  } else if (takes_part) {
    MPI_Group_incl(all, 1, &target, &group);
    MPI_Win_start(group, 0, win);
    access();
    MPI_Win_complete(win);
  }
  if (takes_part) MPI_Group_free(&group);
  MPI_Group_free(&all);
}

void post_put_put() {
  const Window win;
  expose(*win, {0, 2}, [&] {
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, *win);  // post: puts
  });
}

void own_put_get() {
  const Window win;
  MPI_Win_lock_all(0, *win);
  if (rank == 0) {
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, *win);     // own: put
    MPI_Get(&result, 1, MPI_INT, 1, 0, 1, MPI_INT, *win);  // own: get
  }
  MPI_Win_unlock_all(*win);
}

void store_get_fence() {
  const Window win;
  MPI_Win_fence(0, *win);
  if (rank == 2) MPI_Get(&result, 1, MPI_INT, 1, 0, 1, MPI_INT, *win);  // store: get in a fence
  if (rank == 1) memory[0] = 0x01010101;
  MPI_Win_fence(0, *win);
}

void store_put_fence() {
  const Window win;
  MPI_Win_fence(0, *win);
  if (rank == 2) {
    MPI_Put(&one, 1, MPI_INT, 1, 0, 1, MPI_INT, *win);  // store: put in a fence
    tell(1);
  }
  if (rank == 1) {
    hear(2);
    while (memory[0] != one) continue;  // the put is not complete, but has arrived
    memory[0] = 5;
  }
  MPI_Win_fence(0, *win);
}

void store_get_lock() {
  const Window win;
  if (rank == 2) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, *win);
    MPI_Get(&result, 1, MPI_INT, 1, 0, 1, MPI_INT, *win);  // store: get in a lock
    MPI_Win_unlock(1, *win);
  }
  if (rank == 1) memory[0] = 0x01010101;
}

void rivals() {
  int number = rank;
  if (rank != 0) MPI_Send(&number, 1, MPI_INT, 0, 0, world);
  if (rank != 0) return;
  for (int i = 0; i < 2; ++i) MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, MPI_STATUS_IGNORE);  // rivals
}

void rival_requests() {
  std::array<int, 2> number{rank, rank};
  std::array<MPI_Request, 2> requests{};
  if (rank != 0) MPI_Send(number.data(), 1, MPI_INT, 0, 0, world);
  if (rank != 0) return;
  MPI_Irecv(&number[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[0]);  // rivals: first
  MPI_Irecv(&number[1], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &requests[1]);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
}

void rivals_with_status() {
  int number = rank;
  if (rank != 0) MPI_Send(&number, 1, MPI_INT, 0, 0, world);
  if (rank != 0) return;
  MPI_Status status;
  for (int i = 0; i < 2; ++i) MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 0, world, &status);  // rivals: status
}

// ---- no races

void right_fences() {
  const Window win;
  MPI_Win_fence(0, *win);
  if (rank == 0) put(*win);
  put(*win, 2 + rank);
  MPI_Win_fence(0, *win);
  if (rank == 2) put(*win);
  MPI_Win_fence(0, *win);
  if (rank == 1) memory[0] = 77;
  MPI_Win_fence(0, *win);
  get(*win);
  MPI_Win_fence(0, *win);
  add(*win);
  MPI_Win_fence(0, *win);
  if (rank == 1) memory[1] = 78;  // nobody accesses it
  if (rank == 0) put(*win);
  MPI_Win_fence(0, *win);
  if (rank == 1) memory[0] = 79;
  MPI_Barrier(world);
  if (rank == 0) get(*win);
  MPI_Win_fence(0, *win);
}

void right_exposures() {
  const Window win;
  for (const int origin : {0, 2}) expose(*win, {origin}, [&] { put(*win); });
  if (rank == 1) memory[0] = 80;
  expose(*win, {0, 2}, [&] { get(*win); });
}

void right_locks() {
  const Window win;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, *win);
  if (rank == 1)
    memory[0] = 81;
  else
    put(*win);
  MPI_Win_unlock(1, *win);
}

/// Rank 0 protects two accesses to rank 1 by a lock of rank 2.
void right_locks_elsewhere() {
  const Window win;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 2, 0, *win);
  if (rank != 1) {
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, *win);
    put(*win);
    MPI_Win_unlock(1, *win);
  }
  MPI_Win_unlock(2, *win);
}

void right_flushes() {
  const Window win;
  MPI_Win_lock_all(0, *win);
  if (rank == 0) {
    put(*win);
    MPI_Win_flush(1, *win);
    put(*win);
    MPI_Win_flush(1, *win);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Rget(&result, 1, MPI_INT, 1, 0, 1, MPI_INT, *win, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    put(*win);
    MPI_Win_flush(1, *win);
  }
  MPI_Barrier(world);
  if (rank == 2) put(*win);
  MPI_Win_flush_all(*win);
  if (rank == 2) tell(0);
  if (rank == 0) {
    hear(2);
    get(*win);
  }
  MPI_Win_unlock_all(*win);
}

/// Rank 2 learns by what it reads that rank 0 has put.
void right_flag() {
  const Window win;
  MPI_Win_lock_all(0, *win);
  if (rank == 0) {
    put(*win);
    MPI_Win_flush(1, *win);
    MPI_Accumulate(&one, 1, MPI_INT, 1, 1, 1, MPI_INT, MPI_REPLACE, *win);
  }
  for (int seen = 0; rank == 2 && seen != one;) {
    MPI_Fetch_and_op(nullptr, &seen, MPI_INT, 1, 1, MPI_NO_OP, *win);
    MPI_Win_flush(1, *win);
  }
  if (rank == 2) put(*win);
  MPI_Win_unlock_all(*win);
}

/// Rank 2 learns it by its own memory.
void right_flag_at_home() {
  const Window win;
  MPI_Win_lock_all(0, *win);
  if (rank == 0) {
    put(*win);
    MPI_Win_flush(1, *win);
    put(*win, 1, 2);
    MPI_Win_flush(2, *win);
  }
  if (rank == 2) {
    for (int found = 0; memory[1] != one;) MPI_Iprobe(0, 9, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    put(*win);
  }
  MPI_Win_unlock_all(*win);
}

void right_receives() {
  int number = rank;
  MPI_Status status;
  if (rank != 0) MPI_Send(&number, 1, MPI_INT, 0, rank, world);
  if (rank == 0) {
    for (const int tag : {1, 2}) MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, tag, world, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2; ++i) MPI_Recv(nullptr, 0, MPI_INT, MPI_ANY_SOURCE, 7, world, MPI_STATUS_IGNORE);
    for (const int next : {1, 2}) {  // each answers only when it is asked
      tell(next);
      MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 8, world, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; ++i) MPI_Recv(&number, 1, MPI_INT, MPI_ANY_SOURCE, 9, world, &status);
  } else {
    MPI_Send(nullptr, 0, MPI_INT, 0, 7, world);
    hear(0);
    MPI_Send(&number, 1, MPI_INT, 0, 8, world);
    MPI_Send(&number, 1, MPI_INT, 0, 9, world);
  }
}

const std::map<std::string, void (*)()> programs = {
    {"fence_put_put", fence_put_put},
    {"fence_accumulates", fence_accumulates},
    {"lock_put_get", lock_put_get},
    {"lock_all_put_add", lock_all_put_add},
    {"post_put_put", post_put_put},
    {"own_put_get", own_put_get},
    {"store_get_fence", store_get_fence},
    {"store_put_fence", store_put_fence},
    {"store_get_lock", store_get_lock},
    {"rivals", rivals},
    {"rival_requests", rival_requests},
    {"rivals_with_status", rivals_with_status},
    {"right_fences", right_fences},
    {"right_exposures", right_exposures},
    {"right_locks", right_locks},
    {"right_locks_elsewhere", right_locks_elsewhere},
    {"right_flushes", right_flushes},
    {"right_flag", right_flag},
    {"right_flag_at_home", right_flag_at_home},
    {"right_receives", right_receives},
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  for (int i = 1; i < argc; ++i) programs.at(argv[i])();
  MPI_Finalize();
  return 0;
}
