// SPDX-License-Identifier: BSD-3-Clause
// Wrong use of windows: each call fails with its error class and a sentence that names what is wrong, changes no
// memory, and leaves the window usable.
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// Checks that a call fails with this class, and that the sentence has this word.
void expect(int error_class, const char* word, int code, int line) {
  int found = MPI_SUCCESS, length = 0;
  char sentence[MPI_MAX_ERROR_STRING] = "";
  MPI_Error_class(code, &found);
  MPI_Error_string(code, sentence, &length);
  ++check::made;
  if (found == error_class && std::strstr(sentence, word) != nullptr) return;
  check::report(__FILE__, line,
                "expected class " + std::to_string(error_class) + " and \"" + word + "\", but it is " +
                    std::to_string(found) + ": " + sentence);
}
#define EXPECT(error_class, word, call) expect(error_class, word, call, __LINE__)

constexpr int length = 16;

struct Window {
  explicit Window(bool of_program) {
    if (of_program) {
      base = memory;
      CHECK_EQ(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, world, &win), MPI_SUCCESS);
    } else {
      CHECK_EQ(MPI_Win_allocate(sizeof memory, sizeof(int), MPI_INFO_NULL, world, &base, &win), MPI_SUCCESS);
    }
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Win_set_name(win, "wrongly used");
    for (int i = 0; i < length; ++i) base[i] = i;
    MPI_Barrier(world);
  }
  ~Window() {
    MPI_Barrier(world);
    for (int i = 0; i < length; ++i) CHECK_EQ(base[i], i);
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  MPI_Win win = MPI_WIN_NULL;
  int* base = nullptr;
  int memory[length] = {};
};

int values[length];

int put(MPI_Win win, int rank, MPI_Aint place, int count = 1) {
  return MPI_Put(values, count, MPI_INT, rank, place, count, MPI_INT, win);
}

void arguments() {
  const Window window(false);
  const MPI_Win win = window.win;
  MPI_Win_lock_all(0, win);
  EXPECT(MPI_ERR_WIN, "MPI_WIN_NULL", MPI_Put(values, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_WIN_NULL));
  EXPECT(MPI_ERR_RANK, "target_rank", put(win, check::size, 0));
  EXPECT(MPI_ERR_RANK, "target_rank", put(win, -5, 0));
  EXPECT(MPI_ERR_DISP, "target_disp", put(win, 0, -1));
  EXPECT(MPI_ERR_COUNT, "origin_count", put(win, 0, 0, -1));
  EXPECT(MPI_ERR_TYPE, "origin_datatype", MPI_Put(values, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win));
  EXPECT(MPI_ERR_BUFFER, "origin_addr", MPI_Put(nullptr, 1, MPI_INT, 0, 0, 1, MPI_INT, win));
  EXPECT(MPI_ERR_TRUNCATE, "8 bytes", MPI_Put(values, 2, MPI_INT, 0, 0, 1, MPI_INT, win));
  MPI_Op own;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &own);
  EXPECT(MPI_ERR_OP, "op", MPI_Accumulate(values, 1, MPI_INT, 0, 0, 1, MPI_INT, own, win));
  MPI_Op_free(&own);
  EXPECT(MPI_ERR_OP, "MPI_BAND", MPI_Accumulate(values, 1, MPI_FLOAT, 0, 0, 1, MPI_FLOAT, MPI_BAND, win));
  EXPECT(MPI_ERR_OP, "MPI_MAXLOC", MPI_Accumulate(values, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_MAXLOC, win));
  int result = 0;
  EXPECT(MPI_ERR_TYPE, "MPI_DOUBLE", MPI_Compare_and_swap(values, values, &result, MPI_DOUBLE, 0, 0, win));
  MPI_Datatype two;
  MPI_Type_contiguous(2, MPI_INT, &two);
  MPI_Type_commit(&two);
  EXPECT(MPI_ERR_TYPE, "derived", MPI_Fetch_and_op(values, &result, two, 0, 0, MPI_SUM, win));
  const int lengths[2] = {1, 1};
  const MPI_Aint places[2] = {0, 4};
  const MPI_Datatype types[2] = {MPI_INT, MPI_FLOAT};
  MPI_Datatype mixed;
  MPI_Type_create_struct(2, lengths, places, types, &mixed);
  MPI_Type_commit(&mixed);
  EXPECT(MPI_ERR_TYPE, "several", MPI_Accumulate(values, 1, mixed, 0, 0, 1, mixed, MPI_SUM, win));
  MPI_Type_free(&mixed);
  MPI_Type_free(&two);
  MPI_Win_unlock_all(win);
  EXPECT(MPI_ERR_LOCKTYPE, "lock_type", MPI_Win_lock(17, 0, 0, win));
  EXPECT(MPI_ERR_ASSERT, "assert", MPI_Win_lock(MPI_LOCK_SHARED, 0, MPI_MODE_NOPUT, win));
  EXPECT(MPI_ERR_ASSERT, "assert", MPI_Win_fence(MPI_MODE_NOCHECK, win));
  EXPECT(MPI_ERR_RANK, "rank", MPI_Win_lock(MPI_LOCK_SHARED, check::size, 0, win));
  EXPECT(MPI_ERR_KEYVAL, "predefined", MPI_Win_set_attr(win, MPI_WIN_BASE, nullptr));
  EXPECT(MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic", MPI_Win_attach(win, values, sizeof values));
  EXPECT(MPI_ERR_RMA_FLAVOR, "memory of its own", MPI_Win_detach(win, values));
}

void creation() {
  MPI_Win win = MPI_WIN_NULL;
  void* base = nullptr;
  MPI_Comm comm;
  MPI_Comm_dup(world, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  EXPECT(MPI_ERR_SIZE, "size", MPI_Win_allocate(-1, 1, MPI_INFO_NULL, comm, &base, &win));
  EXPECT(MPI_ERR_DISP, "disp_unit", MPI_Win_allocate(8, 0, MPI_INFO_NULL, comm, &base, &win));
  EXPECT(MPI_ERR_BASE, "base", MPI_Win_create(nullptr, 8, 1, MPI_INFO_NULL, comm, &win));
  EXPECT(MPI_ERR_WIN, "win", MPI_Win_free(&win));
  // More than any machine has: the call fails at every rank, although only one asks for it.
  const MPI_Aint much = MPI_Aint{1} << 46;
  const int code = MPI_Win_allocate(check::rank == 0 ? much : 8, 1, MPI_INFO_NULL, comm, &base, &win);
  EXPECT(MPI_ERR_NO_MEM, check::rank == 0 ? "bytes" : "rank 0", code);
  CHECK_EQ(MPI_Win_allocate(8, 1, MPI_INFO_NULL, comm, &base, &win), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
  MPI_Comm_free(&comm);
}

/// Accesses beyond the ends. Where the origin does not know the target's memory, the next synchronization tells.
void bounds(bool of_program) {
  const Window window(of_program);
  const MPI_Win win = window.win;
  const std::vector<std::function<int(int)>> accesses = {
      [=](int rank) { return put(win, rank, length); },
      [=](int rank) { return put(win, rank, length - 1, 2); },
      [=](int rank) { return put(win, rank, MPI_Aint{1} << 61); },
      [=](int rank) { return MPI_Accumulate(values, 2, MPI_INT, rank, length - 1, 2, MPI_INT, MPI_SUM, win); },
      [=](int rank) { return MPI_Get(values, 2, MPI_INT, rank, length - 1, 2, MPI_INT, win); },
      [=](int rank) { return MPI_Fetch_and_op(values, values + 1, MPI_INT, rank, length, MPI_SUM, win); },
      [=](int rank) { return MPI_Compare_and_swap(values, values + 1, values + 2, MPI_INT, rank, length, win); },
  };
  for (int rank = 0; rank < check::size; ++rank) {
    for (const auto& access : accesses) {
      MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
      int code = access(rank);
      const int later = MPI_Win_unlock(rank, win);
      if (code == MPI_SUCCESS) code = later;
      EXPECT(MPI_ERR_RMA_RANGE, "bytes", code);
    }
    std::vector<int> much(100000);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    int code = MPI_Put(much.data(), 100000, MPI_INT, rank, 0, 100000, MPI_INT, win);
    const int later = MPI_Win_flush(rank, win);
    if (code == MPI_SUCCESS) code = later;
    EXPECT(MPI_ERR_RMA_RANGE, "wrongly used", code);
    MPI_Request request;
    code = MPI_Rget(much.data(), 100000, MPI_INT, rank, 0, 100000, MPI_INT, win, &request);
    if (code == MPI_SUCCESS) code = MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(MPI_ERR_RMA_RANGE, "wrongly used", code);
    CHECK_EQ(MPI_Win_unlock(rank, win), MPI_SUCCESS);
  }
  MPI_Barrier(world);
}

void epochs() {
  const Window window(false);
  const MPI_Win win = window.win;
  EXPECT(MPI_ERR_RMA_SYNC, "no access epoch", put(win, 0, 0));
  EXPECT(MPI_ERR_RMA_SYNC, "not locked", MPI_Win_unlock(0, win));
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_lock_all", MPI_Win_unlock_all(win));
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_start", MPI_Win_complete(win));
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_post", MPI_Win_wait(win));
  int flag;
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_post", MPI_Win_test(win, &flag));
  EXPECT(MPI_ERR_RMA_SYNC, "flush", MPI_Win_flush(0, win));
  EXPECT(MPI_ERR_RMA_SYNC, "flush", MPI_Win_flush_all(win));
  EXPECT(MPI_ERR_RMA_SYNC, "flush", MPI_Win_flush_local(0, win));
  EXPECT(MPI_ERR_RMA_SYNC, "flush", MPI_Win_flush_local_all(win));

  MPI_Win_lock(MPI_LOCK_SHARED, check::rank, 0, win);
  EXPECT(MPI_ERR_RMA_SYNC, "already", MPI_Win_lock(MPI_LOCK_SHARED, check::rank, 0, win));
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_lock", MPI_Win_lock_all(0, win));
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_lock", MPI_Win_fence(0, win));
  EXPECT(MPI_ERR_RMA_SYNC, "freed", MPI_Win_free(const_cast<MPI_Win*>(&window.win)));
  if (check::size > 1) {
    EXPECT(MPI_ERR_RMA_SYNC, "not locked", put(win, check::right(), 0));
    EXPECT(MPI_ERR_RMA_SYNC, "not locked", MPI_Win_unlock(check::right(), win));
    EXPECT(MPI_ERR_RMA_SYNC, "locked", MPI_Win_flush(check::right(), win));
  }
  MPI_Group self, all;
  MPI_Comm_group(MPI_COMM_SELF, &self);
  MPI_Comm_group(world, &all);
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_lock", MPI_Win_start(self, 0, win));
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_lock", MPI_Win_post(self, 0, win));
  CHECK_EQ(MPI_Win_unlock(check::rank, win), MPI_SUCCESS);

  MPI_Win_post(self, 0, win);
  EXPECT(MPI_ERR_RMA_SYNC, "already", MPI_Win_post(self, 0, win));
  MPI_Win_start(self, 0, win);
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_start", MPI_Win_start(self, 0, win));
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_start", MPI_Win_lock(MPI_LOCK_SHARED, check::rank, 0, win));
  if (check::size > 1) EXPECT(MPI_ERR_RMA_SYNC, "does not belong", put(win, check::right(), 0));
  CHECK_EQ(MPI_Win_complete(win), MPI_SUCCESS);
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_post", MPI_Win_fence(0, win));
  CHECK_EQ(MPI_Win_wait(win), MPI_SUCCESS);

  MPI_Win_fence(0, win);
  values[0] = 0;
  CHECK_EQ(put(win, check::rank, 0), MPI_SUCCESS);
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_fence", MPI_Win_lock(MPI_LOCK_SHARED, check::rank, 0, win));
  EXPECT(MPI_ERR_RMA_SYNC, "MPI_Win_fence", MPI_Win_start(self, 0, win));
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  EXPECT(MPI_ERR_RMA_SYNC, "no access epoch", put(win, check::rank, 0));
  MPI_Group_free(&self);
  MPI_Group_free(&all);
}

void hints() {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "no_locks", "true");
  MPI_Win win;
  MPI_Win_create(nullptr, 0, 1, info, world, &win);
  MPI_Info_free(&info);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  EXPECT(MPI_ERR_RMA_SYNC, "no_locks", MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
  EXPECT(MPI_ERR_RMA_SYNC, "no_locks", MPI_Win_lock_all(0, win));
  CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

/// Memory that is not attached, or not any more.
void dynamic() {
  MPI_Win win;
  CHECK_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win), MPI_SUCCESS);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  static int memory[3 * length];
  CHECK_EQ(MPI_Win_attach(win, memory, sizeof(int) * length), MPI_SUCCESS);
  EXPECT(MPI_ERR_RMA_ATTACH, "overlap", MPI_Win_attach(win, memory + length - 1, 8));
  EXPECT(MPI_ERR_RMA_ATTACH, "overlap", MPI_Win_attach(win, memory, 4));
  EXPECT(MPI_ERR_BASE, "base", MPI_Win_attach(win, nullptr, 8));
  EXPECT(MPI_ERR_BASE, "no memory", MPI_Win_detach(win, memory + 1));
  CHECK_EQ(MPI_Win_attach(win, memory + 2 * length, sizeof(int) * length), MPI_SUCCESS);
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(check::size));
  MPI_Aint mine;
  MPI_Get_address(memory, &mine);
  MPI_Allgather(&mine, 1, MPI_AINT, addresses.data(), 1, MPI_AINT, world);
  for (int rank = 0; rank < check::size; ++rank) {
    const MPI_Aint base = addresses[static_cast<std::size_t>(rank)];
    // Between the two regions, across the end of one, and nowhere.
    for (const MPI_Aint place :
         {base + MPI_Aint{sizeof(int)} * length, base + MPI_Aint{sizeof(int)} * length - 4, MPI_Aint{4096}}) {
      MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
      int code = put(win, rank, place, 2);
      const int later = MPI_Win_unlock(rank, win);
      if (code == MPI_SUCCESS) code = later;
      EXPECT(MPI_ERR_RMA_RANGE, "attach", code);
    }
    values[0] = 7;
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win);
    CHECK_EQ(put(win, rank, base + MPI_Aint{sizeof(int)} * 2 * length), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_unlock(rank, win), MPI_SUCCESS);
  }
  MPI_Barrier(world);
  CHECK_EQ(memory[2 * length], 7);
  CHECK_EQ(memory[length], 0);
  CHECK_EQ(MPI_Win_detach(win, memory + 2 * length), MPI_SUCCESS);
  MPI_Barrier(world);
  MPI_Win_lock(MPI_LOCK_SHARED, check::right(), 0, win);
  int code = put(win, check::right(),
                 addresses[static_cast<std::size_t>(check::right())] + MPI_Aint{sizeof(int)} * 2 * length);
  const int later = MPI_Win_unlock(check::right(), win);
  if (code == MPI_SUCCESS) code = later;
  EXPECT(MPI_ERR_RMA_RANGE, "attach", code);
  MPI_Aint bytes;
  int unit;
  void* base;
  EXPECT(MPI_ERR_RMA_FLAVOR, "MPI_Win_create_dynamic", MPI_Win_shared_query(win, 0, &bytes, &unit, &base));
  CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  arguments();
  creation();
  bounds(false);
  bounds(true);
  epochs();
  hints();
  dynamic();
  return program.finish();
}
