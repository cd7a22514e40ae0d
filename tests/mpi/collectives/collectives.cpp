// SPDX-License-Identifier: BSD-3-Clause
// MPI_Bcast and MPI_Barrier: every root, counts from nothing to large, many in a row; over MPI_COMM_SELF too.
#include <ctime>
#include <vector>

#include "check.hpp"
#include "datatypes.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

void bcast(int root, int bytes) {
  const auto count = static_cast<std::size_t>(bytes);
  auto buffer =
      check::rank == root ? check::patterned(count, root, bytes) : std::vector<unsigned char>(count, check::untouched);
  buffer.resize(count + 32, check::untouched);
  CHECK_EQ(MPI_Bcast(buffer.data(), bytes, MPI_BYTE, root, world), MPI_SUCCESS);
  CHECK_EQ(check::first_difference(buffer, count, root, bytes), -1);
}

// A fast root must not run over slow receivers: many in a row, roots changing, nothing between them.
void many_in_a_row() {
  for (int i = 0; i < 500; ++i) {
    const int root = i / 50 % check::size;
    int value = check::rank == root ? i : -1;
    MPI_Bcast(&value, 1, MPI_INT, root, world);
    CHECK_EQ(value, i);
  }
}

// The late rank announces itself to all before it enters; whoever has left must find the announcement.
void barrier() {
  constexpr int rounds = 50;
  for (int round = 0; round < rounds; ++round) {
    const int late = round % check::size;
    for (int peer = 0; check::rank == late && peer < check::size; ++peer) {
      if (peer != late) MPI_Send(&round, 1, MPI_INT, peer, 3, world);
    }
    CHECK_EQ(MPI_Barrier(world), MPI_SUCCESS);
    if (check::rank != late) {
      int seen = -1;
      MPI_Recv(&seen, 1, MPI_INT, late, 3, world, MPI_STATUS_IGNORE);
      CHECK_EQ(seen, round);
    }
  }
}

// The clock that all ranks of this node share; MPI_Wtime need not be the same for all.
double now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Everybody enters a barrier before anybody leaves it.
void barrier_by_the_clock() {
  for (int round = 0; round < 20; ++round) {
    const double entered = now();
    MPI_Barrier(world);
    const double left = now();
    double last_entered = 0, first_left = 0;
    MPI_Allreduce(&entered, &last_entered, 1, MPI_DOUBLE, MPI_MAX, world);
    MPI_Allreduce(&left, &first_left, 1, MPI_DOUBLE, MPI_MIN, world);
    CHECK(last_entered <= first_left);
  }
}

// Messages of the application and of collectives do not meet, whatever wildcard is waiting.
void beside_messages() {
  int in = -1, value = check::rank == 0 ? 17 : -1;
  MPI_Request request;
  MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &request);
  MPI_Bcast(&value, 1, MPI_INT, 0, world);
  MPI_Barrier(world);
  int flag = 1, sum = 0;
  MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  CHECK_EQ(flag, 0);
  const int one = 1;
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, world);
  CHECK_EQ(sum, check::size);
  CHECK_EQ(value, 17);
  MPI_Send(&check::rank, 1, MPI_INT, (check::rank + 1) % check::size, 1, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  CHECK_EQ(in, (check::rank + check::size - 1) % check::size);
}

void over_self() {
  int value = 5, result = -1;
  CHECK_EQ(MPI_Barrier(MPI_COMM_SELF), MPI_SUCCESS);
  CHECK_EQ(MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_SELF), MPI_SUCCESS);
  CHECK_EQ(value, 5);
  CHECK_EQ(MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF), MPI_SUCCESS);
  CHECK_EQ(result, 5);
  result = -1;
  CHECK_EQ(MPI_Reduce(&value, &result, 1, MPI_INT, MPI_PROD, 0, MPI_COMM_SELF), MPI_SUCCESS);
  CHECK_EQ(result, 5);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  over_self();
  barrier();
  barrier_by_the_clock();
  for (int root = 0; root < check::size; ++root) {
    for (const int bytes : {0, 1, 7, 8, 64, 100, 1000, 4096, 8191, 10000, 40000, 65536, 300001}) bcast(root, bytes);
  }
  for (const int bytes : {1 << 20, (4 << 20) + 3}) bcast(check::size / 2, bytes);
  many_in_a_row();
  beside_messages();
  return program.finish();
}
