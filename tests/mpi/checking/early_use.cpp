// SPDX-License-Identifier: BSD-3-Clause
// Programs that change memory into which an operation receives that is not completed, of which BOWLINE_CHECK=buffers
// tells, and right programs that look at what they have received. Line numbers are expected: the comment behind a line
// names it.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <string>

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
int rank = 0;
int other = 0;  // with two ranks

std::array<int, 4> in{};
std::array<int, 4> out{};
MPI_Request request = MPI_REQUEST_NULL;

void wait() {
  MPI_Wait(&request, MPI_STATUS_IGNORE);  // completion
}

void expect(const char* what, int found, int expected) {
  if (found != expected) std::printf("%s: %d, not %d\n", what, found, expected);
}

/// A window over a number of each rank, which the other one may get.
class Window {
 public:
  Window() {
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &memory_, &handle_);
    *memory_ = 100 + rank;
    MPI_Win_lock_all(0, handle_);
    MPI_Barrier(world);
  }
  ~Window() {
    MPI_Win_unlock_all(handle_);
    MPI_Win_free(&handle_);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  MPI_Win operator*() const { return handle_; }

 private:
  int* memory_ = nullptr;
  MPI_Win handle_ = MPI_WIN_NULL;
};

// ---- changed too early

void get() {
  const Window win;
  MPI_Get(in.data(), 1, MPI_INT, other, 0, 1, MPI_INT, *win);  // get
  in[0] = 7;
  MPI_Win_flush(other, *win);  // flush
}

void receive() {
  MPI_Irecv(in.data(), 1, MPI_INT, other, 0, world, &request);  // receive
  MPI_Send(out.data(), 1, MPI_INT, other, 0, world);
  ++in[0];
  wait();
}

void reduce() {
  MPI_Iallreduce(out.data(), in.data(), 1, MPI_INT, MPI_SUM, world, &request);  // reduce
  ++in[0];
  wait();
}

constexpr std::array<int, 2> counts{1, 1}, places{0, 2};

void blocks() {
  const int *const n = counts.data(), *const at = places.data();
  MPI_Ialltoallv(out.data(), n, at, MPI_INT, in.data(), n, at, MPI_INT, world, &request);  // blocks
  ++in[2];
  wait();
}

void broadcast() {
  MPI_Ibcast(in.data(), 1, MPI_INT, 0, world, &request);  // broadcast
  ++in[0];
  wait();
}

void scatter() {
  MPI_Iscatter(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, 0, world, &request);  // scatter
  if (rank == 0) ++out[1];
  wait();
}

// ---- right ones

void look_at_status() {
  out[0] = 20 + rank;
  in = {1, 2, 3, 4};
  MPI_Irecv(in.data(), 4, MPI_INT, other, 0, world, &request);
  MPI_Send(out.data(), 1, MPI_INT, other, 0, world);
  for (int done = 0; done == 0;) MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
  expect("after a look at its status", in[0], 20 + other);
  in[0] = 5;
  wait();
  expect("after that", in[0], 5);
  expect("where nothing has been received", in[3], 4);
}

void receive_between() {
  out = {30 + rank, 0, 40 + rank, 0};
  in = {};
  MPI_Ialltoallv(out.data(), counts.data(), places.data(), MPI_INT, in.data(), counts.data(), places.data(), MPI_INT,
                 world, &request);
  in[1] = 8;  // between the blocks
  wait();
  expect("first block", in[0], rank == 0 ? 30 : 40);
  expect("second block", in[2], rank == 0 ? 31 : 41);
  expect("between them", in[1], 8);
}

void reduce_in_place() {
  in = {rank, 1, 2, 3};
  MPI_Iallreduce(MPI_IN_PLACE, in.data(), 2, MPI_INT, MPI_SUM, world, &request);
  in[2] = 9;  // no part of the buffer
  wait();
  expect("sum of ranks", in[0], 1);
  expect("sum of ones", in[1], 2);
  expect("behind the buffer", in[2], 9);
}

void get_again_and_again() {
  const Window win;
  for (int round = 0; round < 2; ++round) {
    in[0] = 0;
    MPI_Get(in.data(), 1, MPI_INT, other, 0, 1, MPI_INT, *win);
    MPI_Win_flush_local(other, *win);
    expect("what was got", in[0], 100 + other);
  }
  MPI_Rget(in.data() + 1, 1, MPI_INT, other, 0, 1, MPI_INT, *win, &request);
  wait();
  expect("what was got with a request", in[1], 100 + other);
}

void take_any() {
  std::array<MPI_Request, 3> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int tag = 0; tag < 2; ++tag) MPI_Irecv(&in[tag], 1, MPI_INT, other, tag, world, &requests[tag]);
  MPI_Irecv(&in[2], 1, MPI_INT, MPI_PROC_NULL, 2, world, &requests[2]);
  in[2] = 6;  // nobody writes to it
  out = {50 + rank, 60 + rank, 0, 0};
  for (int tag = 0; tag < 2; ++tag) MPI_Send(&out[tag], 1, MPI_INT, other, tag, world);
  for (int index = 0; index != MPI_UNDEFINED;) {
    MPI_Waitany(3, requests.data(), &index, MPI_STATUS_IGNORE);
    if (index == 0 || index == 1) expect("of any", in[index], 50 + 10 * index + other);
  }
  expect("from nobody", in[2], 6);
  MPI_Irecv(in.data(), 1, MPI_INT, other, 3, world, &request);
  MPI_Cancel(&request);
  wait();
  MPI_Barrier(world);
}

const std::map<std::string, void (*)()> programs = {
    {"get", get},
    {"receive", receive},
    {"reduce", reduce},
    {"blocks", blocks},
    {"broadcast", broadcast},
    {"scatter", scatter},
    {"look_at_status", look_at_status},
    {"receive_between", receive_between},
    {"reduce_in_place", reduce_in_place},
    {"get_again_and_again", get_again_and_again},
    {"take_any", take_any},
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  other = 1 - rank;
  for (int i = 1; i < argc; ++i) programs.at(argv[i])();
  MPI_Finalize();
  return 0;
}
