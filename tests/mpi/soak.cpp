// SPDX-License-Identifier: BSD-3-Clause
// Random messages between all ranks: sizes around every switch of protocol, every mode of send and way of receive
// mixed, all contents checked. Arguments: [rounds [seed]].
//
// All ranks draw the same plan of a round from the seed, so each knows what it has to send and what will arrive.
#include <cstdint>
#include <cstdlib>
#include <random>
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

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const long rounds = argc > 1 ? std::strtol(argv[1], nullptr, 0) : 40;
  std::mt19937_64 random(same_seed(argc, argv));
  for (long round = 0; round < rounds; ++round) {
    const auto failed = check::failed;
    soak::Round(random).run();
    shift(random);
    if (check::failed != failed) std::fprintf(stderr, "rank %d: soak: in round %ld\n", check::rank, round);
  }
  return program.finish();
}
