// SPDX-License-Identifier: BSD-3-Clause
// win_litmus [ROUNDS]: what rank 1 may see of what rank 0 does, in memory of rank 2 (or of rank 0, if there are two
// ranks), as the memory model allows (MPI-5.0, section 12.7). 100,000 rounds of each by default, divided among batches.
//
//   message passing   0: put data, flush, put flag     1: get flag, flush, get data: a flag that is set has its data
//   store buffering   0: put x, flush, get y           1: put y, flush, get x: at least one sees the other's put
//   loads and stores  the same two by loads and stores with MPI_Win_sync, if the memory is shared
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
long rounds = 100'000;
constexpr MPI_Aint line = 16;  // numbers, so that the two places share no cache line

struct Window {
  explicit Window(bool shared) {
    const auto bytes = static_cast<MPI_Aint>(2 * line * sizeof(long));
    const auto make = shared ? MPI_Win_allocate_shared : MPI_Win_allocate;
    CHECK_EQ(make(bytes, sizeof(long), MPI_INFO_NULL, world, &base, &win), MPI_SUCCESS);
    for (int i = 0; i < 2 * line; ++i) base[i] = 0;
    MPI_Barrier(world);
    MPI_Win_lock_all(0, win);
  }
  ~Window() {
    MPI_Win_unlock_all(win);
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  void put(long value, MPI_Aint place) const {
    MPI_Put(&value, 1, MPI_LONG, home, place, 1, MPI_LONG, win);
    MPI_Win_flush(home, win);
  }
  long get(MPI_Aint place) const {
    long value = -1;
    MPI_Get(&value, 1, MPI_LONG, home, place, 1, MPI_LONG, win);
    MPI_Win_flush(home, win);
    return value;
  }

  MPI_Win win = MPI_WIN_NULL;
  long* base = nullptr;
  int home = check::size > 2 ? 2 : 0;
};

/// Numbers grow, so no round needs a beginning or an end.
void message_passing() {
  const Window window(false);
  if (check::rank == 0) {
    for (long i = 1; i <= rounds; ++i) {
      window.put(i, 0);
      window.put(i, line);
    }
  }
  if (check::rank == 1) {
    for (long flag = 0; flag < rounds;) {
      flag = window.get(line);
      const long data = window.get(0);
      if (!CHECK(data >= flag)) break;
    }
  }
  MPI_Barrier(world);
}

/// Both ranks put and then get. They need not meet: a rank that sees an old number of the other one was first.
void store_buffering() {
  const Window window(false);
  std::vector<long> seen;
  if (check::rank < 2) {
    const MPI_Aint mine = check::rank == 0 ? 0 : line, theirs = line - mine;
    for (long i = 1; i <= rounds; ++i) {
      window.put(i, mine);
      seen.push_back(window.get(theirs));
    }
  }
  // In its round i, rank 0 has seen seen[i] of rank 1. If that is less than j, then rank 1's put of j came after the
  // get of rank 0, and so rank 1's get of round j must see i.
  if (check::rank == 1) MPI_Send(seen.data(), static_cast<int>(seen.size()), MPI_LONG, 0, 1, world);
  if (check::rank == 0 && check::size > 1) {
    std::vector<long> other(seen.size());
    MPI_Recv(other.data(), static_cast<int>(other.size()), MPI_LONG, 1, 1, world, MPI_STATUS_IGNORE);
    for (long i = 1; i <= rounds; ++i) {
      const long j = seen[static_cast<std::size_t>(i - 1)] + 1;  // the first round of rank 1 whose put was not seen
      if (j <= rounds && !CHECK(other[static_cast<std::size_t>(j - 1)] >= i)) break;
    }
  }
  MPI_Barrier(world);
}

/// By loads and stores of shared memory.
void loads_and_stores() {
  const Window window(true);
  MPI_Aint bytes;
  int unit;
  long* shared = nullptr;
  CHECK_EQ(MPI_Win_shared_query(window.win, window.home, &bytes, &unit, &shared), MPI_SUCCESS);
  volatile long* const memory = shared;
  if (check::rank == 0) {
    for (long i = 1; i <= rounds; ++i) {
      memory[0] = i;
      MPI_Win_sync(window.win);
      memory[line] = i;
      MPI_Win_sync(window.win);
    }
  }
  if (check::rank == 1) {
    for (long flag = 0; flag < rounds;) {
      flag = memory[line];
      MPI_Win_sync(window.win);
      const long data = memory[0];
      if (!CHECK(data >= flag)) break;
    }
  }
  MPI_Barrier(world);
}

void stores_and_loads() {
  const Window window(true);
  MPI_Aint bytes;
  int unit;
  long* shared = nullptr;
  CHECK_EQ(MPI_Win_shared_query(window.win, window.home, &bytes, &unit, &shared), MPI_SUCCESS);
  volatile long* const memory = shared;
  std::vector<long> seen;
  if (check::rank < 2) {
    const MPI_Aint mine = check::rank == 0 ? 0 : line, theirs = line - mine;
    for (long i = 1; i <= rounds; ++i) {
      memory[mine] = i;
      MPI_Win_sync(window.win);
      const long other = memory[theirs];
      seen.push_back(other);
    }
  }
  if (check::rank == 1) MPI_Send(seen.data(), static_cast<int>(seen.size()), MPI_LONG, 0, 1, world);
  if (check::rank == 0 && check::size > 1) {
    std::vector<long> other(seen.size());
    MPI_Recv(other.data(), static_cast<int>(other.size()), MPI_LONG, 1, 1, world, MPI_STATUS_IGNORE);
    for (long i = 1; i <= rounds; ++i) {
      const long j = seen[static_cast<std::size_t>(i - 1)] + 1;
      if (j <= rounds && !CHECK(other[static_cast<std::size_t>(j - 1)] >= i)) break;
    }
  }
  MPI_Barrier(world);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1) rounds = std::atol(argv[1]);
  check::Program program(argc, argv);
  CHECK(check::size > 1);
  message_passing();
  store_buffering();
  MPI_Comm node;
  int here = 0;
  MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &here);
  MPI_Comm_free(&node);
  if (here == check::size) {
    loads_and_stores();
    stores_and_loads();
  }
  return program.finish();
}
