// SPDX-License-Identifier: BSD-3-Clause
// With the tunable progress_thread operations go on while the program calls no MPI. Who has to see that without calling
// MPI waits for what tells by other means: a function of the program that the library calls, or a signal of a rank that
// the operation has let go on. At most for half a minute; without the thread it waits in vain, which the first argument
// `off` makes the thing to be found, in a tenth of a second.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <string_view>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int block = 50'000;        // what a thread is left to move
constexpr int long_count = 1 << 18;  // 1 MiB: announced, and sent only while somebody makes progress

bool off = false;
std::atomic<int> combined{0}, signals{0};
std::vector<int> processes;  // by rank

void count_and_add(void* in, void* inout, int* length, MPI_Datatype*) {
  for (int i = 0; i < *length; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
  combined.fetch_add(1);
}

// Computes until `happened()`, or for as long as it may take. No MPI is called.
template <class Happened>
bool compute_until(Happened happened) {
  using namespace std::chrono_literals;
  const auto end = std::chrono::steady_clock::now() + (off ? std::chrono::milliseconds(100ms) : 30s);
  while (!happened() && std::chrono::steady_clock::now() < end) usleep(10);
  return happened();
}

void tell(int rank) {
  kill(processes[static_cast<std::size_t>(rank)], SIGUSR1);
}

// All wait for each other here, and none moves anything before.
void begin_together() {
  signals = combined = 0;
  MPI_Barrier(world);
}

// Every rank combines what the others give while it computes.
void reduction() {
  MPI_Op op;
  MPI_Op_create(count_and_add, 1, &op);
  int mine = check::rank, sum = -1;
  MPI_Request request;
  begin_together();
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, op, world, &request);
  if (!off) CHECK(compute_until([] { return combined > 0; }));
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(sum, check::size * (check::size - 1) / 2);
  MPI_Op_free(&op);
}

// Rank 0 sends a long message while it computes; rank 1 has it before rank 0 calls MPI again.
void message() {
  std::vector<int> data(long_count, check::rank == 0 ? 7 : -1);
  MPI_Request request;
  begin_together();
  if (check::rank == 0) {
    MPI_Isend(data.data(), long_count, MPI_INT, 1, 0, world, &request);
    CHECK_EQ(compute_until([] { return signals > 0; }), !off);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  } else if (check::rank == 1) {
    CHECK_EQ(MPI_Recv(data.data(), long_count, MPI_INT, 0, 0, world, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(std::ranges::count(data, 7), long_count);
    tell(0);
  }
}

// Rank 0 ends a long gathering while the others, whose data it needs, compute.
void gathering() {
  const auto ranks = static_cast<std::size_t>(check::size);
  std::vector<int> mine(long_count, check::rank), all(check::rank == 0 ? ranks * long_count : 0, -1);
  MPI_Request request;
  begin_together();
  MPI_Igather(mine.data(), long_count, MPI_INT, all.data(), long_count, MPI_INT, 0, world, &request);
  if (check::rank != 0) CHECK_EQ(compute_until([] { return signals > 0; }), !off);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (int rank = 1; check::rank == 0 && rank < check::size; ++rank) {
    CHECK_EQ(std::count(all.begin() + rank * long_count, all.begin() + (rank + 1) * long_count, rank), long_count);
    tell(rank);
  }
}

// What is long and has holes is packed by the thread, when the operation has its place among the others already: nobody
// may see before that what stands where it is packed.
void with_holes() {
  MPI_Datatype every_second;
  MPI_Type_vector(block, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  const auto ranks = static_cast<std::size_t>(check::size);
  std::vector<int> out(2 * block), all(ranks * block);
  for (int round = 0; round < 20; ++round) {
    std::ranges::fill(out, 100 * round + check::rank);
    std::ranges::fill(all, -1);
    MPI_Request request;
    MPI_Iallgather(out.data(), 1, every_second, all.data(), block, MPI_INT, world, &request);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int rank = 0; rank < check::size; ++rank)
      CHECK_EQ(std::count(all.begin() + rank * block, all.begin() + (rank + 1) * block, 100 * round + rank), block);
  }
  MPI_Type_free(&every_second);
}

// Blocks of a root that are long for some ranks and short for others, three operations of each root at a time.
void rooted() {
  const auto ranks = static_cast<std::size_t>(check::size);
  std::vector<int> counts, places;
  for (int rank = 0, place = 0; rank < check::size; place += counts[rank++]) {
    counts.push_back(rank % 2 == 1 ? long_count : 5);
    places.push_back(place);
  }
  const int own = counts[static_cast<std::size_t>(check::rank)];
  const auto total = static_cast<std::size_t>(places.back() + counts.back());
  for (int root = 0; root < check::size; ++root) {
    const bool is_root = check::rank == root;
    std::vector<int> spread(long_count, is_root ? root : -1);
    std::vector<int> mine(static_cast<std::size_t>(own), check::rank), all(is_root ? total : 0, -1);
    std::vector<int> from(is_root ? total : 0), got(static_cast<std::size_t>(own), -1);
    for (std::size_t rank = 0; is_root && rank < ranks; ++rank)
      std::fill_n(from.begin() + places[rank], counts[rank], static_cast<int>(rank) + 100 * root);
    MPI_Request requests[3];
    MPI_Ibcast(spread.data(), long_count, MPI_INT, root, world, &requests[0]);
    MPI_Igatherv(mine.data(), own, MPI_INT, all.data(), counts.data(), places.data(), MPI_INT, root, world,
                 &requests[1]);
    MPI_Iscatterv(from.data(), counts.data(), places.data(), MPI_INT, got.data(), own, MPI_INT, root, world,
                  &requests[2]);
    CHECK_EQ(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(std::ranges::count(spread, root), long_count);
    CHECK_EQ(std::ranges::count(got, check::rank + 100 * root), own);
    for (std::size_t rank = 0; is_root && rank < ranks; ++rank) {
      const auto begin = all.begin() + places[rank];
      CHECK_EQ(std::count(begin, begin + counts[rank], static_cast<int>(rank)), counts[rank]);
    }
  }
}

// The thread falls asleep when nothing is left to do and is woken by what begins next, of any kind.
void again_and_again() {
  const int next = (check::rank + 1) % check::size, previous = (check::rank + check::size - 1) % check::size;
  for (int round = 0; round < 200; ++round) {
    std::vector<int> out(round % 10 == 0 ? 100000 : 10, round), in(out.size(), -1);
    int sum = -1;
    MPI_Request requests[3];
    MPI_Irecv(in.data(), static_cast<int>(in.size()), MPI_INT, previous, round, world, &requests[0]);
    MPI_Isend(out.data(), static_cast<int>(out.size()), MPI_INT, next, round, world, &requests[1]);
    MPI_Iallreduce(&round, &sum, 1, MPI_INT, MPI_SUM, world, &requests[2]);
    if (round % 20 == 0) usleep(2000);
    CHECK_EQ(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(sum, round * check::size);
    CHECK_EQ(std::ranges::count(in, round), static_cast<std::ptrdiff_t>(in.size()));
  }
}

}  // namespace

int main(int argc, char** argv) {
  off = argc > 1 && std::string_view(argv[1]) == "off";
  struct sigaction action = {};
  action.sa_handler = [](int) { signals.fetch_add(1); };
  sigaction(SIGUSR1, &action, nullptr);
  check::Program program(argc, argv);
  processes.resize(static_cast<std::size_t>(check::size));
  const int process = getpid();
  MPI_Allgather(&process, 1, MPI_INT, processes.data(), 1, MPI_INT, world);
  if (check::size == 1) {
    std::printf("one rank alone: no operation goes on that another one has to move\n");
  } else {
    reduction();
    message();
    if (!off) gathering();  // without the thread the others' memory may be read without their help
  }
  with_holes();
  rooted();
  again_and_again();
  return program.finish();
}
