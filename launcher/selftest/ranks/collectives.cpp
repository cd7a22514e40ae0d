// SPDX-License-Identifier: BSD-3-Clause
// Every blocking collective, and those of neighbours on a ring: the data of one call is checked, a row of calls is
// timed.
#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "launcher/selftest/ranks/part.hpp"

namespace bowline::selftest {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr int calls_in_row = 32;  ///< the self-test simulates as many (launcher/selftest/simulated_times.cpp)
constexpr int batches = 5;
constexpr std::size_t most_bytes_of_all = 32 << 20;

/// The buffers of all operations for one length of a block.
struct Buffers {
  Buffers(std::size_t bytes, const World& place)
      : self(place),
        block(static_cast<int>(bytes)),
        numbers(static_cast<int>(bytes / sizeof(std::int64_t))),
        send(bytes * ranks()),
        receive(bytes * ranks()),
        operands(static_cast<std::size_t>(numbers) * ranks()),
        results(operands.size()),
        counts(ranks(), block),
        places(ranks()),
        number_counts(ranks(), numbers) {
    for (std::size_t rank = 0; rank < ranks(); ++rank) places[rank] = static_cast<int>(rank) * block;
  }
  std::size_t ranks() const { return static_cast<std::size_t>(self.size); }
  std::span<unsigned char> part(Bytes& bytes, int rank) const {
    return std::span(bytes).subspan(static_cast<std::size_t>(rank) * static_cast<std::size_t>(block),
                                    static_cast<std::size_t>(block));
  }

  World self;
  int block, numbers;
  Bytes send, receive;
  Numbers operands, results;
  std::vector<int> counts, places, number_counts;
};

unsigned seed_of(int from, int to) {
  return static_cast<unsigned>(from) * 7 + static_cast<unsigned>(to) * 3 + 50;
}

/// What the ranks from `first` to before `last` add up to in element `place`.
std::int64_t sum_of(int first, int last, std::size_t place) {
  std::int64_t sum = 0;
  for (int rank = first; rank < last; ++rank) sum += rank + static_cast<std::int64_t>(place);
  return sum;
}

/// What one operation receives.
enum class Gets {
  nothing,
  root_data,
  blocks_of_all,
  own_block_of_root,
  blocks_for_all,
  sum,
  own_part_of_sum,
  prefix,
  prefix_without_own,
  neighbours
};

struct Operation {
  const char* name;
  Gets gets;
  void (*call)(Buffers&, int root, MPI_Comm);
  bool at_root_alone = false;
};

#define OPERATION(name, gets, at_root, call)      \
  Operation {                                     \
    name, Gets::gets,                             \
        [](Buffers& b, int root, MPI_Comm comm) { \
          (void)b, (void)root;                    \
          call;                                   \
        },                                        \
        at_root                                   \
  }
const std::array operations{
    OPERATION("barrier", nothing, false, MPI_Barrier(comm)),
    OPERATION("bcast", root_data, false, MPI_Bcast(b.send.data(), b.block, MPI_BYTE, root, comm)),
    OPERATION("gather", blocks_of_all, true,
              MPI_Gather(b.send.data(), b.block, MPI_BYTE, b.receive.data(), b.block, MPI_BYTE, root, comm)),
    OPERATION("gatherv", blocks_of_all, true,
              MPI_Gatherv(b.send.data(), b.block, MPI_BYTE, b.receive.data(), b.counts.data(), b.places.data(),
                          MPI_BYTE, root, comm)),
    OPERATION("scatter", own_block_of_root, false,
              MPI_Scatter(b.send.data(), b.block, MPI_BYTE, b.receive.data(), b.block, MPI_BYTE, root, comm)),
    OPERATION("scatterv", own_block_of_root, false,
              MPI_Scatterv(b.send.data(), b.counts.data(), b.places.data(), MPI_BYTE, b.receive.data(), b.block,
                           MPI_BYTE, root, comm)),
    OPERATION("allgather", blocks_of_all, false,
              MPI_Allgather(b.send.data(), b.block, MPI_BYTE, b.receive.data(), b.block, MPI_BYTE, comm)),
    OPERATION("allgatherv", blocks_of_all, false,
              MPI_Allgatherv(b.send.data(), b.block, MPI_BYTE, b.receive.data(), b.counts.data(), b.places.data(),
                             MPI_BYTE, comm)),
    OPERATION("alltoall", blocks_for_all, false,
              MPI_Alltoall(b.send.data(), b.block, MPI_BYTE, b.receive.data(), b.block, MPI_BYTE, comm)),
    OPERATION("alltoallv", blocks_for_all, false,
              MPI_Alltoallv(b.send.data(), b.counts.data(), b.places.data(), MPI_BYTE, b.receive.data(),
                            b.counts.data(), b.places.data(), MPI_BYTE, comm)),
    OPERATION("reduce", sum, true,
              MPI_Reduce(b.operands.data(), b.results.data(), b.numbers, MPI_INT64_T, MPI_SUM, root, comm)),
    OPERATION("allreduce", sum, false,
              MPI_Allreduce(b.operands.data(), b.results.data(), b.numbers, MPI_INT64_T, MPI_SUM, comm)),
    OPERATION("reduce_scatter_block", own_part_of_sum, false,
              MPI_Reduce_scatter_block(b.operands.data(), b.results.data(), b.numbers, MPI_INT64_T, MPI_SUM, comm)),
    OPERATION(
        "reduce_scatter", own_part_of_sum, false,
        MPI_Reduce_scatter(b.operands.data(), b.results.data(), b.number_counts.data(), MPI_INT64_T, MPI_SUM, comm)),
    OPERATION("scan", prefix, false,
              MPI_Scan(b.operands.data(), b.results.data(), b.numbers, MPI_INT64_T, MPI_SUM, comm)),
    OPERATION("exscan", prefix_without_own, false,
              MPI_Exscan(b.operands.data(), b.results.data(), b.numbers, MPI_INT64_T, MPI_SUM, comm)),
    OPERATION("neighbor_allgather", neighbours, false,
              MPI_Neighbor_allgather(b.send.data(), b.block, MPI_BYTE, b.receive.data(), b.block, MPI_BYTE, comm)),
};
#undef OPERATION

/// Before the one call whose data is checked.
void prepare(Buffers& b, const Operation& operation, int root) {
  std::ranges::fill(b.receive, static_cast<unsigned char>(0));
  std::ranges::fill(b.results, -1);
  for (std::size_t place = 0; place < b.operands.size(); ++place)
    b.operands[place] = b.self.rank + static_cast<std::int64_t>(place);
  const bool to_each = operation.gets == Gets::blocks_for_all || operation.gets == Gets::own_block_of_root;
  for (int to = 0; to < b.self.size; ++to) fill(b.part(b.send, to), seed_of(b.self.rank, to_each ? to : 0));
  if (operation.gets == Gets::root_data && b.self.rank != root)
    std::ranges::fill(b.send, static_cast<unsigned char>(0));
}

void check_sums(Buffers& b, const std::string& name, int first, int last, std::size_t offset) {
  for (std::size_t place = 0; place < static_cast<std::size_t>(b.numbers); ++place) {
    if (b.results[place] == sum_of(first, last, place + offset)) continue;
    note_wrong(name, "element " + std::to_string(place) + " at rank " + std::to_string(b.self.rank) + " is " +
                         std::to_string(b.results[place]) + " instead of " +
                         std::to_string(sum_of(first, last, place + offset)));
    return;
  }
}

void check_data(Buffers& b, const Operation& operation, int root) {
  const std::string name = operation.name;
  const int rank = b.self.rank, size = b.self.size;
  if (operation.at_root_alone && rank != root) return;
  switch (operation.gets) {
    case Gets::root_data:
      return check(name, b.part(b.send, 0), seed_of(root, 0));
    case Gets::blocks_of_all:
      for (int from = 0; from < size; ++from) check(name, b.part(b.receive, from), seed_of(from, 0));
      return;
    case Gets::own_block_of_root:
      return check(name, b.part(b.receive, 0), seed_of(root, rank));
    case Gets::blocks_for_all:
      for (int from = 0; from < size; ++from) check(name, b.part(b.receive, from), seed_of(from, rank));
      return;
    case Gets::sum:
      return check_sums(b, name, 0, size, 0);
    case Gets::own_part_of_sum:
      return check_sums(b, name, 0, size, static_cast<std::size_t>(rank) * static_cast<std::size_t>(b.numbers));
    case Gets::prefix:
      return check_sums(b, name, 0, rank + 1, 0);
    case Gets::prefix_without_own:
      return rank == 0 ? void() : check_sums(b, name, 0, rank, 0);
    case Gets::neighbours:
      check(name, b.part(b.receive, 0), seed_of((rank + size - 1) % size, 0));
      return check(name, b.part(b.receive, 1), seed_of((rank + 1) % size, 0));
    default:
      return;
  }
}

/// Microseconds of a call in a row of calls, of the slowest rank; each call has another root, so that no rank runs
/// ahead.
double time_in_row(Buffers& b, const Operation& operation, MPI_Comm comm) {
  std::array<double, batches> times{};
  for (double& time : times) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int number = 0; number < calls_in_row; ++number)
      operation.call(b, (b.self.size - number % b.self.size) % b.self.size, comm);
    time = (MPI_Wtime() - begin) / calls_in_row * 1e6;
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  }
  std::ranges::sort(times);
  return times[batches / 2];
}

void try_operation(const Operation& operation, std::size_t bytes, MPI_Comm ring) {
  const World self = world();
  const MPI_Comm comm = operation.gets == Gets::neighbours ? ring : MPI_COMM_WORLD;
  Buffers buffers(bytes, self);
  const int root = self.size - 1;
  prepare(buffers, operation, root);
  operation.call(buffers, root, comm);
  check_data(buffers, operation, root);
  print_time(operation.name, operation.gets == Gets::nothing ? 0 : bytes, time_in_row(buffers, operation, comm));
}

}  // namespace

void test_collectives() {
  const World self = world();
  const int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &self.size, &periodic, 0, &ring);
  const std::size_t room = most_bytes_of_all / static_cast<std::size_t>(self.size) / 64 * 64;
  for (const Operation& operation : operations) {
    if (operation.gets == Gets::neighbours && self.size < 2) continue;
    try_operation(operation, 8, ring);
    if (operation.gets != Gets::nothing)
      try_operation(operation, std::clamp(room, std::size_t{64}, std::size_t{64} << 10), ring);
  }
  MPI_Comm_free(&ring);
}

}  // namespace bowline::selftest
