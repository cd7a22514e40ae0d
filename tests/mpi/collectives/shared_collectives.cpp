// SPDX-License-Identifier: BSD-3-Clause
// Collectives through memory that the members share: lengths of inline data, of one round and of many; many operations
// under way at once; roots that run ahead; communicators whose members overlap; what a freed communicator leaves
// behind.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

using Values = std::vector<std::int32_t>;

/// Element i of what a rank contributes to call number `call`.
std::int32_t value(int call, int rank, std::size_t i) {
  return call * 1'000'003 + rank * 10'007 + static_cast<std::int32_t>(i);
}

Values contribution(int call, int rank, std::size_t count) {
  Values values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = value(call, rank, i);
  return values;
}

/// The sum of what the ranks below `ranks` contribute, modulo 2^32 as the operator computes it.
Values sum(int call, int ranks, std::size_t count) {
  Values all(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t total = 0;
    for (int rank = 0; rank < ranks; ++rank) total += static_cast<std::uint32_t>(value(call, rank, i));
    all[i] = static_cast<std::int32_t>(total);
  }
  return all;
}

void reductions(MPI_Comm comm, int call, std::size_t elements) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int count = static_cast<int>(elements);
  const Values mine = contribution(call, rank, elements);
  Values out(elements);
  MPI_Allreduce(mine.data(), out.data(), count, MPI_INT32_T, MPI_SUM, comm);
  CHECK(out == sum(call, size, elements));
  out = mine;
  MPI_Allreduce(MPI_IN_PLACE, out.data(), count, MPI_INT32_T, MPI_SUM, comm);
  CHECK(out == sum(call, size, elements));
  const int root = call % size;
  out = mine;
  MPI_Reduce(rank == root ? MPI_IN_PLACE : mine.data(), out.data(), count, MPI_INT32_T, MPI_SUM, root, comm);
  CHECK(out == (rank == root ? sum(call, size, elements) : mine));
  MPI_Scan(mine.data(), out.data(), count, MPI_INT32_T, MPI_SUM, comm);
  CHECK(out == sum(call, rank + 1, elements));
  Values every(elements * static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < every.size(); ++i) every[i] = value(call, rank, i);
  MPI_Reduce_scatter_block(MPI_IN_PLACE, every.data(), count, MPI_INT32_T, MPI_SUM, comm);
  const Values total = sum(call, size, elements * static_cast<std::size_t>(size));
  CHECK(std::equal(every.begin(), every.begin() + count, total.begin() + static_cast<std::ptrdiff_t>(rank) * count));
}

void blocks(MPI_Comm comm, int call, std::size_t elements) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int count = static_cast<int>(elements);
  const auto members = static_cast<std::size_t>(size);
  const int root = call % size;
  const Values mine = contribution(call, rank, elements);
  Values all;
  for (int member = 0; member < size; ++member) {
    const Values theirs = contribution(call, member, elements);
    all.insert(all.end(), theirs.begin(), theirs.end());
  }
  Values out(elements * members, -1);
  MPI_Allgather(mine.data(), count, MPI_INT32_T, out.data(), count, MPI_INT32_T, comm);
  CHECK(out == all);
  std::ranges::fill(out, -1);
  MPI_Gather(mine.data(), count, MPI_INT32_T, out.data(), count, MPI_INT32_T, root, comm);
  CHECK(rank != root || out == all);
  Values own(elements, -1);
  MPI_Scatter(all.data(), count, MPI_INT32_T, own.data(), count, MPI_INT32_T, root, comm);
  CHECK(own == mine);
  std::ranges::fill(out, -1);
  // To member m goes what m would contribute to call + this rank.
  Values to(elements * members), from;
  for (int member = 0; member < size; ++member) {
    const Values theirs = contribution(call + rank, member, elements);
    std::ranges::copy(theirs, to.begin() + static_cast<std::ptrdiff_t>(member) * count);
    const Values ours = contribution(call + member, rank, elements);
    from.insert(from.end(), ours.begin(), ours.end());
  }
  MPI_Alltoall(to.data(), count, MPI_INT32_T, out.data(), count, MPI_INT32_T, comm);
  CHECK(out == from);
  Values data = rank == root ? mine : Values(elements, -1);
  MPI_Bcast(data.data(), count, MPI_INT32_T, root, comm);
  CHECK(data == contribution(call, root, elements));
}

/// Rank r sends r + m + 1 times `elements` to member m, and receives as much from it; nothing if that is a multiple
/// of 3.
void different_blocks(MPI_Comm comm, int call, std::size_t elements) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<int> counts, places;
  int total = 0;
  for (int member = 0; member < size; ++member) {
    const int times = (rank + member + 1) % 3 == 0 ? 0 : rank + member + 1;
    counts.push_back(times * static_cast<int>(elements));
    places.push_back(total);
    total += counts.back();
  }
  Values to(static_cast<std::size_t>(total)), from(to.size(), -1);
  for (int member = 0; member < size; ++member) {
    for (int i = 0; i < counts[static_cast<std::size_t>(member)]; ++i)
      to[static_cast<std::size_t>(places[static_cast<std::size_t>(member)] + i)] =
          value(call + member, rank, static_cast<std::size_t>(i));
  }
  MPI_Alltoallv(to.data(), counts.data(), places.data(), MPI_INT32_T, from.data(), counts.data(), places.data(),
                MPI_INT32_T, comm);
  for (int member = 0; member < size; ++member) {
    for (int i = 0; i < counts[static_cast<std::size_t>(member)]; ++i)
      CHECK_EQ(from[static_cast<std::size_t>(places[static_cast<std::size_t>(member)] + i)],
               value(call + rank, member, static_cast<std::size_t>(i)));
  }
}

/// More at once than there are turns, ended in another order than they were begun in.
void many_at_once() {
  constexpr int calls = 12;
  constexpr std::size_t elements = 3000;
  std::vector<Values> in(calls), out(calls, Values(elements));
  std::vector<MPI_Request> requests(calls);
  for (int call = 0; call < calls; ++call) {
    Values& mine = in[static_cast<std::size_t>(call)];
    Values& theirs = out[static_cast<std::size_t>(call)];
    mine = contribution(call, check::rank, elements);
    MPI_Request& request = requests[static_cast<std::size_t>(call)];
    if (call % 3 == 0) {
      MPI_Iallreduce(mine.data(), theirs.data(), elements, MPI_INT32_T, MPI_SUM, world, &request);
    } else if (call % 3 == 1) {
      theirs = mine;
      MPI_Ibcast(theirs.data(), elements, MPI_INT32_T, call % check::size, world, &request);
    } else {
      MPI_Ibarrier(world, &request);
    }
  }
  for (int call = calls - 1; call >= 0; --call) {
    MPI_Wait(&requests[static_cast<std::size_t>(call)], MPI_STATUS_IGNORE);
    if (call % 3 == 0) CHECK(out[static_cast<std::size_t>(call)] == sum(call, check::size, elements));
    if (call % 3 == 1) CHECK(out[static_cast<std::size_t>(call)] == contribution(call, call % check::size, elements));
  }
}

/// The root of many short broadcasts, and the leaves of many short reductions, wait for nobody until they must.
void running_ahead() {
  for (int call = 0; call < 300; ++call) {
    std::int32_t data = check::rank == 0 ? call : -1;
    MPI_Bcast(&data, 1, MPI_INT32_T, 0, world);
    CHECK_EQ(data, call);
  }
  for (int call = 0; call < 300; ++call) {
    const std::int32_t mine = call + check::rank;
    std::int32_t all = 0;
    MPI_Reduce(&mine, &all, 1, MPI_INT32_T, MPI_MAX, 0, world);
    if (check::rank == 0) CHECK_EQ(all, call + check::size - 1);
  }
}

int lines_with(const char* path, const std::string& word) {
  std::ifstream file(path);
  int found = 0;
  for (std::string line; std::getline(file, line);) found += line.find(word) != std::string::npos ? 1 : 0;
  return found;
}

/// A freed communicator's memory is gone, and until then it has its own.
void freed() {
  MPI_Barrier(world);
  const int before = lines_with("/proc/self/maps", "bowline-slots");
  for (int round = 0; round < 50; ++round) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(world, &comm);
    reductions(comm, round, 100);
    MPI_Comm_free(&comm);
  }
  MPI_Barrier(world);
  // Communicators go in the background: a few may still be there.
  CHECK(lines_with("/proc/self/maps", "bowline-slots") <= before + 10);
}

/// Its members in the opposite order, and every second rank by itself.
void overlapping(std::size_t elements) {
  MPI_Comm turned = MPI_COMM_NULL, halves = MPI_COMM_NULL;
  MPI_Comm_split(world, 0, -check::rank, &turned);
  MPI_Comm_split(world, check::rank % 2, 0, &halves);
  for (int call = 0; call < 5; ++call) {
    reductions(turned, call, elements);
    blocks(halves, call, elements);
    blocks(turned, call, elements);
    reductions(world, call, elements);
  }
  MPI_Comm_free(&turned);
  MPI_Comm_free(&halves);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  int call = 0;
  for (const std::size_t elements : {0, 1, 3, 12, 13, 250, 1024, 2049, 4096, 4097, 9000, 40'000}) {
    reductions(world, ++call, elements);
    blocks(world, ++call, elements);
    if (elements < 5000) different_blocks(world, ++call, elements);
  }
  many_at_once();
  running_ahead();
  overlapping(700);
  freed();
  return program.finish();
}
