// SPDX-License-Identifier: BSD-3-Clause
// Chapter: windows of every kind, their synchronization and operations.
#include "chapter.hpp"

namespace chapter {
namespace {

constexpr int count = 4096;
int memory[count], out[count], in[count];

void returns(MPI_Win win) {
  must(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
}

void put_and_get(MPI_Win win, const MPI_Aint base, int many) {
  for (int i = 0; i < many; ++i) out[i] = i + rank;
  must(MPI_Win_fence(0, win));
  must(MPI_Put(out, many, MPI_INT, next(), base, many, MPI_INT, win));
  must(MPI_Win_fence(0, win));
  must(MPI_Get(in, many, MPI_INT, next(), base, many, MPI_INT, win));
  must(MPI_Win_fence(0, win));
  for (int i = 0; i < many; ++i) right(in[i] == i + rank, "put and get");
  must(MPI_Accumulate(out, many, MPI_INT, next(), base, many, MPI_INT, MPI_SUM, win));
  must(MPI_Win_fence(0, win));
  must(MPI_Get(in, many, MPI_INT, next(), base, many, MPI_INT, win));
  must(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
  for (int i = 0; i < many; ++i) right(in[i] == 2 * (i + rank), "accumulate");
}

void locked(MPI_Win win) {
  int one = 1, old = -1, result = -1;
  must(MPI_Win_lock_all(0, win));
  must(MPI_Fetch_and_op(&one, &old, MPI_INT, next(), 0, MPI_SUM, win));
  must(MPI_Win_flush(next(), win));
  must(MPI_Compare_and_swap(&one, &old, &result, MPI_INT, next(), 1, win));
  must(MPI_Win_flush_all(win));
  {
    Requests<2> requests;
    must(MPI_Rput(out + 8, 8, MPI_INT, next(), 8, 8, MPI_INT, win, requests[0]));
    must(MPI_Rget(in, 1, MPI_INT, next(), 2, 1, MPI_INT, win, requests[1]));
    requests.wait();
  }
  must(MPI_Win_unlock_all(win));
  must(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, next(), 0, win));
  must(MPI_Get_accumulate(out, 4, MPI_INT, in, 4, MPI_INT, next(), 100, 4, MPI_INT, MPI_REPLACE, win));
  must(MPI_Win_unlock(next(), win));
}

void post_and_start(MPI_Win win) {
  Group world, after, before;
  const int to[] = {next()}, from[] = {previous()};
  must(MPI_Comm_group(MPI_COMM_WORLD, &world));
  must(MPI_Group_incl(world, 1, to, &after));
  must(MPI_Group_incl(world, 1, from, &before));
  must(MPI_Win_post(before, 0, win));
  must(MPI_Win_start(after, 0, win));
  must(MPI_Put(out, 4, MPI_INT, next(), 200, 4, MPI_INT, win));
  must(MPI_Win_complete(win));
  must(MPI_Win_wait(win));
}

void with_holes(MPI_Win win) {
  Type type;
  must(MPI_Type_vector(50, 2, 5, MPI_INT, &type));
  must(MPI_Type_commit(&type));
  must(MPI_Win_fence(0, win));
  must(MPI_Put(out, 1, type, next(), 0, 1, type, win));
  must(MPI_Win_fence(0, win));
  must(MPI_Accumulate(out, 1, type, next(), 0, 1, type, MPI_SUM, win));
  must(MPI_Win_fence(0, win));
}

void created() {
  Win win;
  must(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  returns(win);
  put_and_get(win, 0, 20);
  put_and_get(win, 0, count);
  locked(win);
  post_and_start(win);
  with_holes(win);
  must(MPI_Win_set_name(win, "the name of a window that is too long to be kept in place"));
}

void allocated() {
  int* base = nullptr;
  Win win;
  must(MPI_Win_allocate(count * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  returns(win);
  put_and_get(win, 0, count);
  locked(win);
}

void shared() {
  int* base = nullptr;
  Win win;
  must(MPI_Win_allocate_shared(count * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win));
  returns(win);
  MPI_Aint bytes = 0;
  int unit = 0, *theirs = nullptr;
  must(MPI_Win_shared_query(win, next(), &bytes, &unit, static_cast<void*>(&theirs)));
  put_and_get(win, 0, 20);
}

void dynamic() {
  Win win;
  must(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  returns(win);
  must(MPI_Win_attach(win, memory, sizeof memory));
  MPI_Aint mine = 0, theirs = 0;
  must(MPI_Get_address(memory, &mine));
  must(MPI_Sendrecv(&mine, 1, MPI_AINT, previous(), 1, &theirs, 1, MPI_AINT, next(), 1, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
  put_and_get(win, theirs, 20);
  must(MPI_Win_detach(win, memory));
}

void run() {
  created();
  allocated();
  shared();
  dynamic();
}

}  // namespace

const Chapter windows{"windows", run};

}  // namespace chapter
