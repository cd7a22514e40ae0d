// SPDX-License-Identifier: BSD-3-Clause
// Random messages between all ranks: sizes around every switch of protocol, every mode of send and way of receive
// mixed, and collectives between them, all contents checked. Arguments: [rounds [seed]]; 60s instead of rounds goes on
// for a minute.
//
// All ranks draw the same plan of a round from the seed, so each knows what it has to send and what will arrive.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "soak_round.hpp"
#include "status.hpp"

namespace {

using check::at;

std::uint64_t same_seed(int argc, char** argv) {
  std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : std::random_device{}();
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (check::rank == 0) std::fprintf(stderr, "soak: seed %llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

// Every rank to one that is the same distance away, with lengths of its own.
void shift(std::mt19937_64& random) {
  const int distance = static_cast<int>(random() % at(check::size));
  const int dest = (check::rank + distance) % check::size;
  const int source = (check::rank + check::size - distance) % check::size;
  std::vector<int> lengths(at(check::size));
  for (int& length : lengths) length = soak::random_size(random);
  const std::uint64_t salt = random();
  const soak::Bytes out = soak::contents(salt + at(check::rank), lengths[at(check::rank)]);
  soak::Bytes in(at(lengths[at(source)]));
  MPI_Status status;
  CHECK_EQ(MPI_Sendrecv(out.data(), static_cast<int>(out.size()), MPI_BYTE, dest, 1, in.data(),
                        static_cast<int>(in.size()), MPI_BYTE, source, 1, MPI_COMM_WORLD, &status),
           MPI_SUCCESS);
  CHECK_EQ(status.MPI_SOURCE, source);
  CHECK(in == soak::contents(salt + at(source), lengths[at(source)]));
}

// One rank's data for all.
void spread(std::mt19937_64& random) {
  const int root = static_cast<int>(random() % at(check::size));
  const int length = soak::random_size(random);
  const soak::Bytes expected = soak::contents(random(), length);
  soak::Bytes data = check::rank == root ? expected : soak::Bytes(at(length), soak::canary);
  CHECK_EQ(MPI_Bcast(data.data(), length, MPI_BYTE, root, MPI_COMM_WORLD), MPI_SUCCESS);
  CHECK(data == expected);
}

// What all have, combined; a sum of known numbers.
void combine(std::mt19937_64& random) {
  const int count = soak::random_size(random) / static_cast<int>(sizeof(std::uint64_t));
  const std::uint64_t salt = random();
  std::vector<std::uint64_t> in(at(count)), out(at(count)), expected(at(count));
  for (int rank = 0; rank < check::size; ++rank) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const std::uint64_t value = (salt + at(rank)) * (i + 1);
      expected[i] += value;
      if (rank == check::rank) in[i] = value;
    }
  }
  CHECK_EQ(MPI_Allreduce(in.data(), out.data(), count, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
  CHECK(out == expected);
}

// Blocks of a different length from everybody to everybody.
void exchange(std::mt19937_64& random) {
  const int n = check::size;
  std::vector<int> lengths(at(n * n));  // from a rank, to a rank
  for (int& length : lengths) length = soak::random_size(random) / n;
  const std::uint64_t salt = random();
  const auto block = [&](int from, int to) {
    return soak::contents(salt + at(from * n + to), lengths[at(from * n + to)]);
  };
  soak::Bytes out, expected;
  std::vector<int> out_lengths, out_places, in_lengths, in_places;
  for (int other = 0; other < n; ++other) {
    out_places.push_back(static_cast<int>(out.size()));
    in_places.push_back(static_cast<int>(expected.size()));
    const soak::Bytes to = block(check::rank, other), from = block(other, check::rank);
    out_lengths.push_back(static_cast<int>(to.size()));
    in_lengths.push_back(static_cast<int>(from.size()));
    out.insert(out.end(), to.begin(), to.end());
    expected.insert(expected.end(), from.begin(), from.end());
  }
  soak::Bytes in(expected.size(), soak::canary);
  CHECK_EQ(MPI_Alltoallv(out.data(), out_lengths.data(), out_places.data(), MPI_BYTE, in.data(), in_lengths.data(),
                         in_places.data(), MPI_BYTE, MPI_COMM_WORLD),
           MPI_SUCCESS);
  CHECK(in == expected);
}

// Says when it is over: after so many rounds, or so many seconds by rank 0's clock.
class End {
 public:
  explicit End(const char* text)
      : amount_(std::strtol(text, nullptr, 0)), timed_(std::string_view(text).ends_with('s')) {}

  bool reached(long round) const {
    if (!timed_) return round >= amount_;
    int over = std::chrono::steady_clock::now() - began_ >= std::chrono::seconds(amount_);
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return over != 0;
  }

 private:
  long amount_;
  bool timed_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const End end(argc > 1 ? argv[1] : "40");
  std::mt19937_64 random(same_seed(argc, argv));
  for (long round = 0; !end.reached(round); ++round) {
    const auto failed = check::failed;
    soak::Round(random).run();
    shift(random);
    for (const auto collective : {spread, combine, exchange}) {
      if (random() % 2 == 0) collective(random);
    }
    if (check::failed != failed) std::fprintf(stderr, "rank %d: soak: in round %ld\n", check::rank, round);
  }
  return program.finish();
}
