// SPDX-License-Identifier: BSD-3-Clause
// The soak test's collective operations, one function for each kind: random lengths and roots, drawn by all ranks
// alike, and every byte of the result compared with what it must be.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "soak_round.hpp"

namespace soak {

using Random = std::mt19937_64;
using Numbers = std::vector<std::uint64_t>;

// What each rank gives to a sum.
inline Numbers numbers(std::uint64_t salt, int rank, int count) {
  Numbers values(at(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = (salt + at(rank)) * (i + 1);
  return values;
}

// The sum over the first `ranks` ranks.
inline Numbers sum(std::uint64_t salt, int ranks, int count) {
  Numbers total(at(count));
  for (int rank = 0; rank < ranks; ++rank) {
    const Numbers values = numbers(salt, rank, count);
    for (std::size_t i = 0; i < total.size(); ++i) total[i] += values[i];
  }
  return total;
}

inline int random_count(Random& random) {
  return random_size(random) / static_cast<int>(sizeof(std::uint64_t));
}

// Ranks' blocks of the same length, one after the other.
inline Bytes blocks(std::uint64_t salt, int length) {
  Bytes all;
  for (int rank = 0; rank < check::size; ++rank) {
    const Bytes block = contents(salt + at(rank), length);
    all.insert(all.end(), block.begin(), block.end());
  }
  return all;
}

// Every rank to one that is the same distance away, with lengths of its own.
inline void shift(Random& random) {
  const int distance = static_cast<int>(random() % at(check::size));
  const int dest = (check::rank + distance) % check::size;
  const int source = (check::rank + check::size - distance) % check::size;
  std::vector<int> lengths(at(check::size));
  for (int& length : lengths) length = random_size(random);
  const std::uint64_t salt = random();
  const Bytes out = contents(salt + at(check::rank), lengths[at(check::rank)]);
  Bytes in(at(lengths[at(source)]));
  MPI_Status status;
  CHECK_EQ(MPI_Sendrecv(out.data(), static_cast<int>(out.size()), MPI_BYTE, dest, 1, in.data(),
                        static_cast<int>(in.size()), MPI_BYTE, source, 1, world, &status),
           MPI_SUCCESS);
  CHECK_EQ(status.MPI_SOURCE, source);
  CHECK(in == contents(salt + at(source), lengths[at(source)]));
}

// One rank's data for all.
inline void spread(Random& random) {
  const int root = static_cast<int>(random() % at(check::size));
  const int length = random_size(random);
  const Bytes expected = contents(random(), length);
  Bytes data = check::rank == root ? expected : Bytes(at(length), canary);
  CHECK_EQ(MPI_Bcast(data.data(), length, MPI_BYTE, root, world), MPI_SUCCESS);
  CHECK(data == expected);
}

// What all have, combined; a sum of known numbers.
inline void combine(Random& random) {
  const int count = random_count(random);
  const std::uint64_t salt = random();
  const Numbers in = numbers(salt, check::rank, count), expected = sum(salt, check::size, count);
  Numbers out(at(count));
  CHECK_EQ(MPI_Allreduce(in.data(), out.data(), count, MPI_UINT64_T, MPI_SUM, world), MPI_SUCCESS);
  CHECK(out == expected);
}

// Blocks of a different length from everybody to everybody.
inline void exchange(Random& random) {
  const int n = check::size;
  std::vector<int> lengths(at(n * n));  // from a rank, to a rank
  for (int& length : lengths) length = random_size(random) / n;
  const std::uint64_t salt = random();
  const auto block = [&](int from, int to) { return contents(salt + at(from * n + to), lengths[at(from * n + to)]); };
  Bytes out, expected;
  std::vector<int> out_lengths, out_places, in_lengths, in_places;
  for (int other = 0; other < n; ++other) {
    out_places.push_back(static_cast<int>(out.size()));
    in_places.push_back(static_cast<int>(expected.size()));
    const Bytes to = block(check::rank, other), from = block(other, check::rank);
    out_lengths.push_back(static_cast<int>(to.size()));
    in_lengths.push_back(static_cast<int>(from.size()));
    out.insert(out.end(), to.begin(), to.end());
    expected.insert(expected.end(), from.begin(), from.end());
  }
  Bytes in(expected.size(), canary);
  CHECK_EQ(MPI_Alltoallv(out.data(), out_lengths.data(), out_places.data(), MPI_BYTE, in.data(), in_lengths.data(),
                         in_places.data(), MPI_BYTE, world),
           MPI_SUCCESS);
  CHECK(in == expected);
}

// Blocks of all, by all or by one; and one's blocks for all.
inline void collect(Random& random) {
  const int length = random_size(random) / check::size, root = static_cast<int>(random() % at(check::size));
  const std::uint64_t salt = random();
  const Bytes mine = contents(salt + at(check::rank), length), expected = blocks(salt, length);
  Bytes all(expected.size(), canary), back(at(length), canary);
  const bool everybody = random() % 2 == 0;
  if (everybody) {
    CHECK_EQ(MPI_Allgather(mine.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, world), MPI_SUCCESS);
  } else {
    CHECK_EQ(MPI_Gather(mine.data(), length, MPI_BYTE, all.data(), length, MPI_BYTE, root, world), MPI_SUCCESS);
  }
  if (everybody || check::rank == root) CHECK(all == expected);
  CHECK_EQ(MPI_Scatter(expected.data(), length, MPI_BYTE, back.data(), length, MPI_BYTE, root, world), MPI_SUCCESS);
  CHECK(back == mine);
}

// A sum for one, a part of a sum for each, and the sum of all before.
inline void sums(Random& random) {
  const int n = check::size, block = random_count(random) / n, count = block * n;
  const int root = static_cast<int>(random() % at(n));
  const std::uint64_t salt = random();
  const Numbers in = numbers(salt, check::rank, count), expected = sum(salt, n, count);
  Numbers out(at(count)), part(at(block)), before(at(count));
  CHECK_EQ(MPI_Reduce(in.data(), out.data(), count, MPI_UINT64_T, MPI_SUM, root, world), MPI_SUCCESS);
  if (check::rank == root) CHECK(out == expected);
  CHECK_EQ(MPI_Reduce_scatter_block(in.data(), part.data(), block, MPI_UINT64_T, MPI_SUM, world), MPI_SUCCESS);
  CHECK(std::equal(part.begin(), part.end(), expected.begin() + check::rank * block));
  CHECK_EQ(MPI_Scan(in.data(), before.data(), count, MPI_UINT64_T, MPI_SUM, world), MPI_SUCCESS);
  CHECK(before == sum(salt, check::rank + 1, count));
}

// Several at once, on two communicators, ended in any order.
inline void overlap(Random& random) {
  static MPI_Comm other = MPI_COMM_NULL;
  if (other == MPI_COMM_NULL) MPI_Comm_dup(world, &other);
  constexpr std::size_t most = 6;
  struct Begun {
    Bytes data, expected;
    Numbers in, out, total;
  };
  std::array<Begun, most> begun;
  std::array<MPI_Request, most> requests{};
  const std::size_t count = 1 + random() % most;
  for (std::size_t i = 0; i < count; ++i) {
    Begun& each = begun[i];
    const MPI_Comm comm = random() % 2 == 0 ? world : other;
    const std::uint64_t salt = random();
    const int root = static_cast<int>(random() % at(check::size)), length = random_size(random);
    if (random() % 2 == 0) {
      each.expected = contents(salt, length);
      each.data = check::rank == root ? each.expected : Bytes(at(length), canary);
      CHECK_EQ(MPI_Ibcast(each.data.data(), length, MPI_BYTE, root, comm, &requests[i]), MPI_SUCCESS);
    } else {
      const int numbers_count = length / static_cast<int>(sizeof(std::uint64_t));
      each.in = numbers(salt, check::rank, numbers_count);
      each.total = sum(salt, check::size, numbers_count);
      each.out.resize(each.in.size());
      CHECK_EQ(
          MPI_Iallreduce(each.in.data(), each.out.data(), numbers_count, MPI_UINT64_T, MPI_SUM, comm, &requests[i]),
          MPI_SUCCESS);
    }
  }
  CHECK_EQ(MPI_Waitall(static_cast<int>(count), requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  for (const Begun& each : begun) CHECK(each.data == each.expected && each.out == each.total);
}

}  // namespace soak
