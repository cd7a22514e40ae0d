// SPDX-License-Identifier: BSD-3-Clause
// Communicators whose members share memory, made one after the other and freed while some members are still in their
// last operation: a later communicator may get that memory. Groups, sizes and operations are random, the same in all
// processes.
//
//   comm_successors SEED ROUNDS
#include <chrono>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// Some numbers, equal in all processes.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : engine_(seed) {}
  int below(int end) { return static_cast<int>(engine_() % static_cast<unsigned>(end)); }

 private:
  std::mt19937 engine_;
};

void sum(MPI_Comm comm, int count, int round) {
  int size = 0, rank = 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_rank(comm, &rank);
  std::vector<int> in(static_cast<std::size_t>(count), round + rank), out(in.size(), -1);
  MPI_Allreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, comm);
  CHECK(out == std::vector<int>(out.size(), size * round + size * (size - 1) / 2));
}

/// The root returns before the others have their data.
void broadcast(MPI_Comm comm, int count, int round) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  std::vector<int> data(static_cast<std::size_t>(count), rank == 0 ? round : -1);
  MPI_Bcast(data.data(), count, MPI_INT, 0, comm);
  CHECK(data == std::vector<int>(data.size(), round));
}

/// Ends after the communicator has been freed.
void sum_of_a_freed_one(MPI_Comm& comm, int count, int round) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<int> in(static_cast<std::size_t>(count), round), out(in.size(), -1);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallreduce(in.data(), out.data(), count, MPI_INT, MPI_SUM, comm, &request);
  MPI_Comm_free(&comm);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK(out == std::vector<int>(out.size(), size * round));
}

void one_round(Numbers& numbers, int round) {
  const int parts = 1 + numbers.below(check::size);
  const int turn = numbers.below(check::size);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(world, (check::rank + turn) % check::size % parts, numbers.below(2) == 0 ? 0 : -check::rank, &comm);
  constexpr int counts[] = {1, 10, 3000, 100000};
  const int operations = numbers.below(4);
  for (int i = 0; i < operations; ++i) {
    const int count = counts[numbers.below(numbers.below(8) == 0 ? 4 : 3)];
    if (numbers.below(2) == 0) {
      sum(comm, count, round);
    } else {
      broadcast(comm, count, round);
    }
  }
  if (numbers.below(3) == 0) sum_of_a_freed_one(comm, counts[numbers.below(3)], round);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

/// Rank 0 broadcasts on a communicator with one other process, frees it, and goes on with a third process, while the
/// second one may not even have begun: nothing in the third one's communicator waits for it.
void pairs_with_the_first(Numbers& numbers, int rounds) {
  std::vector<MPI_Comm> pairs(static_cast<std::size_t>(check::size), MPI_COMM_NULL);
  for (int other = 1; other < check::size; ++other) {
    const bool inside = check::rank == 0 || check::rank == other;
    MPI_Comm_split(world, inside ? 0 : MPI_UNDEFINED, check::rank, &pairs[static_cast<std::size_t>(other)]);
  }
  for (int round = 0; round < rounds; ++round) {
    const int other = 1 + numbers.below(check::size - 1);
    const int pause = numbers.below(200);
    if (check::rank != 0 && check::rank != other) continue;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(pairs[static_cast<std::size_t>(other)], &comm);
    if (check::rank != 0) std::this_thread::sleep_for(std::chrono::microseconds(pause));  // rank 0 is to be far ahead
    broadcast(comm, 1, round);
    broadcast(comm, 3000, round);
    MPI_Comm_free(&comm);
  }
  for (MPI_Comm& pair : pairs) {
    if (pair != MPI_COMM_NULL) MPI_Comm_free(&pair);
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const unsigned seed = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 400;
  if (check::rank == 0) std::printf("seed %u, %d rounds\n", seed, rounds);
  Numbers numbers(seed);
  for (int round = 0; round < rounds; ++round) one_round(numbers, round);
  if (check::size > 2) pairs_with_the_first(numbers, rounds);
  return program.finish();
}
