// SPDX-License-Identifier: BSD-3-Clause
// For false_alarms_test.py: ranks that communicate, pause, poll and compute at random. No rank ever waits for what does
// not happen.
//
//   irregular_ranks SECONDS SEED    the same at all ranks
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int tag = 3;
constexpr int first_of_gathers = 10;  // tags, one for each round
constexpr int longest = 1 << 18;

struct Rank {
  int rank = 0;
  int size = 1;
  std::mt19937 own;  ///< draws what this rank alone does
  MPI_Win window = MPI_WIN_NULL;

  int next() const { return (rank + 1) % size; }
  int previous() const { return (rank + size - 1) % size; }
};

void poll_for(const Rank& self, int milliseconds) {
  const auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (int found = 0; Clock::now() < until;) MPI_Iprobe(self.previous(), tag + 1, world, &found, MPI_STATUS_IGNORE);
}

void compute_for(int milliseconds) {
  const auto until = Clock::now() + std::chrono::milliseconds(milliseconds);
  while (Clock::now() < until) continue;
}

/// Mostly nothing; sometimes longer than the others wait before they are judged.
void be_late(Rank& self) {
  const int milliseconds = static_cast<int>(self.own() % 3000);
  switch (self.own() % 16) {
    case 0:
      usleep(static_cast<useconds_t>(milliseconds) * 1000);
      break;
    case 1:
      poll_for(self, milliseconds);
      break;
    case 2:
      compute_for(milliseconds / 4);
      break;
    default:
      break;
  }
}

void ring(const Rank& self, int count) {
  std::vector<char> out(static_cast<std::size_t>(count)), in(static_cast<std::size_t>(count));
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(out.data(), count, MPI_CHAR, self.next(), tag, world, &request);
  MPI_Recv(in.data(), count, MPI_CHAR, self.previous(), tag, world, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// All send to one rank, which receives from any. Each gather has a tag of its own: ranks that are ahead send messages
/// of later rounds meanwhile.
void gather(const Rank& self, int root, int count, int round) {
  const int own_tag = first_of_gathers + round;
  std::vector<char> data(static_cast<std::size_t>(count));
  if (self.rank != root) {
    MPI_Ssend(data.data(), count, MPI_CHAR, root, own_tag, world);
    return;
  }
  for (int i = 1; i < self.size; ++i)
    MPI_Recv(data.data(), count, MPI_CHAR, MPI_ANY_SOURCE, own_tag, world, MPI_STATUS_IGNORE);
}

/// A chain: most ranks wait for long, each for the one before it.
void chain(Rank& self) {
  int token = 0;
  if (self.rank > 0) MPI_Recv(&token, 1, MPI_INT, self.rank - 1, tag, world, MPI_STATUS_IGNORE);
  be_late(self);
  if (self.rank + 1 < self.size) MPI_Send(&token, 1, MPI_INT, self.rank + 1, tag, world);
}

void test_until_done(Rank& self) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(world, &request);
  be_late(self);
  for (int done = 0; done == 0;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

/// The target only computes.
void access_memory(Rank& self, int target) {
  if (self.rank == target) {
    compute_for(static_cast<int>(self.own() % 1500));
  } else {
    const long one = 1;
    long before = 0;
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, self.window);
    MPI_Fetch_and_op(&one, &before, MPI_LONG, target, 0, MPI_SUM, self.window);
    MPI_Win_unlock(target, self.window);
  }
}

void reduce(int count) {
  std::vector<int> in(static_cast<std::size_t>(count), 1), out(in);
  MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, world);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "irregular_ranks: SECONDS SEED\n"), 2;
  MPI_Init(&argc, &argv);
  Rank self;
  MPI_Comm_rank(world, &self.rank);
  MPI_Comm_size(world, &self.size);
  const auto seed = static_cast<unsigned>(std::atoi(argv[2]));
  std::mt19937 common(seed);
  self.own.seed(seed + 1 + static_cast<unsigned>(self.rank));
  long* memory = nullptr;
  MPI_Win_allocate(sizeof(long), sizeof(long), MPI_INFO_NULL, world, &memory, &self.window);
  const auto end = Clock::now() + std::chrono::seconds(std::atoi(argv[1]));
  int rounds = 0;
  for (int over = 0; over == 0; ++rounds) {
    be_late(self);
    const unsigned what = common() % 7;
    const int rank = static_cast<int>(common() % static_cast<unsigned>(self.size));
    const int count = 1 + static_cast<int>(common() % longest);
    switch (what) {
      case 0:
        ring(self, count);
        break;
      case 1:
        gather(self, rank, count, rounds);
        break;
      case 2:
        chain(self);
        break;
      case 3:
        test_until_done(self);
        break;
      case 4:
        access_memory(self, rank);
        break;
      case 5:
        reduce(count / 4 + 1);
        break;
      default:
        MPI_Barrier(world);
        break;
    }
    over = Clock::now() > end ? 1 : 0;
    MPI_Bcast(&over, 1, MPI_INT, 0, world);
  }
  MPI_Win_free(&self.window);
  if (self.rank == 0) std::printf("%d rounds\n", rounds);
  MPI_Finalize();
}
