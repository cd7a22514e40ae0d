// SPDX-License-Identifier: BSD-3-Clause
// Communicators whose members share memory, made one after the other and freed while some members are still in their
// last operation: a later communicator may get that memory. Groups, sizes and operations are random, the same in all
// processes.
//
//   comm_successors SEED ROUNDS
#include <cstdlib>
#include <random>
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

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const unsigned seed = argc > 1 ? static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10)) : 1;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 400;
  if (check::rank == 0) std::printf("seed %u, %d rounds\n", seed, rounds);
  Numbers numbers(seed);
  for (int round = 0; round < rounds; ++round) one_round(numbers, round);
  return program.finish();
}
