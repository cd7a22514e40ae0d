// SPDX-License-Identifier: BSD-3-Clause
// Collectives of up to some hundred ranks of one node: short data, data of one round and of many, from changing roots.
#include <cstddef>
#include <numeric>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

using Values = std::vector<long>;

/// Element i of what a rank contributes.
long element(long rank, std::size_t i) {
  return rank + static_cast<long>(i);
}

Values contribution(int rank, std::size_t count) {
  Values values(count);
  std::iota(values.begin(), values.end(), element(rank, 0));
  return values;
}

/// The sum of the contributions of ranks 0 to `ranks` - 1.
Values sum_of(long ranks, std::size_t count) {
  Values sum(count);
  for (std::size_t i = 0; i < count; ++i) sum[i] = ranks * (ranks - 1) / 2 + ranks * static_cast<long>(i);
  return sum;
}

void reductions(const Values& mine, int root) {
  const int count = static_cast<int>(mine.size());
  Values result(mine.size());
  MPI_Allreduce(mine.data(), result.data(), count, MPI_LONG, MPI_SUM, world);
  CHECK(result == sum_of(check::size, mine.size()));
  MPI_Scan(mine.data(), result.data(), count, MPI_LONG, MPI_SUM, world);
  CHECK(result == sum_of(check::rank + 1, mine.size()));
  MPI_Reduce(mine.data(), result.data(), count, MPI_LONG, MPI_MAX, root, world);
  if (check::rank == root) CHECK(result == contribution(check::size - 1, mine.size()));
}

void rooted(const Values& mine, int root) {
  const int count = static_cast<int>(mine.size());
  Values data = check::rank == root ? mine : Values(mine.size());
  MPI_Bcast(data.data(), count, MPI_LONG, root, world);
  CHECK(data == contribution(root, mine.size()));
}

/// Blocks of all ranks, one after the other.
void blocks(const Values& mine, int root) {
  const int count = static_cast<int>(mine.size());
  Values expected;
  for (int rank = 0; rank < check::size; ++rank) {
    const Values theirs = contribution(rank, mine.size());
    expected.insert(expected.end(), theirs.begin(), theirs.end());
  }
  Values all(expected.size()), own(mine.size());
  MPI_Gather(mine.data(), count, MPI_LONG, all.data(), count, MPI_LONG, root, world);
  if (check::rank == root) CHECK(all == expected);
  MPI_Scatter(expected.data(), count, MPI_LONG, own.data(), count, MPI_LONG, root, world);
  CHECK(own == mine);
  MPI_Allgather(mine.data(), count, MPI_LONG, all.data(), count, MPI_LONG, world);
  CHECK(all == expected);
}

void alltoall() {
  Values out(static_cast<std::size_t>(check::size)), in(out.size()), expected(out.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = 1000L * check::rank + static_cast<long>(i);
    expected[i] = 1000L * static_cast<long>(i) + check::rank;
  }
  MPI_Alltoall(out.data(), 1, MPI_LONG, in.data(), 1, MPI_LONG, world);
  CHECK(in == expected);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  int step = 0;
  for (const std::size_t count : {1U, 10U, 700U, 6000U}) {
    const Values mine = contribution(check::rank, count);
    const int root = 77 * step++ % check::size;
    MPI_Barrier(world);
    reductions(mine, root);
    rooted(mine, root);
    if (count <= 700) blocks(mine, root);
    alltoall();
  }
  return program.finish();
}
