// SPDX-License-Identifier: BSD-3-Clause
// Random messages between all ranks: sizes around every switch of protocol, every mode of send and way of receive
// mixed, and collectives between them, all contents checked. Arguments: [rounds [seed]]; 60s instead of rounds goes on
// for a minute, and says every ten seconds how far it has come.
//
// All ranks draw the same plan of a round from the seed, so each knows what it has to send and what will arrive.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string_view>

#include "soak_collectives.hpp"
#include "soak_round.hpp"
#include "status.hpp"

namespace {

using Clock = std::chrono::steady_clock;

/// Each rank sends to each other one.
void make_contact() {
  for (int distance = 1; distance < check::size; ++distance) {
    const int to = (check::rank + distance) % check::size, from = (check::rank + check::size - distance) % check::size;
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, to, 0, nullptr, 0, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

std::uint64_t same_seed(int argc, char** argv) {
  std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 0) : std::random_device{}();
  MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (check::rank == 0) std::fprintf(stderr, "soak: seed %llu\n", static_cast<unsigned long long>(seed));
  return seed;
}

// Says when it is over: after so many rounds, or so many seconds by rank 0's clock.
class End {
 public:
  explicit End(const char* text)
      : amount_(std::strtol(text, nullptr, 0)), timed_(std::string_view(text).ends_with('s')) {}

  bool reached(long round) {
    if (!timed_) return round >= amount_;
    const auto passed = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - began_);
    int over = passed >= std::chrono::seconds(amount_);
    MPI_Bcast(&over, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (check::rank == 0 && (over || passed >= next_word_)) say(round, passed);
    return over != 0;
  }

 private:
  void say(long round, std::chrono::seconds passed) {
    std::fprintf(stderr, "soak: %ld s of %ld, %ld rounds, %ld checks on rank 0, %ld failed\n",
                 static_cast<long>(passed.count()), amount_, round, check::made, check::failed);
    next_word_ = passed + std::chrono::seconds(10);
  }

  long amount_;
  bool timed_;
  Clock::time_point began_ = Clock::now();
  std::chrono::seconds next_word_{10};
};

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  make_contact();
  End end(argc > 1 ? argv[1] : "40");
  std::mt19937_64 random(same_seed(argc, argv));
  for (long round = 0; !end.reached(round); ++round) {
    const auto failed = check::failed;
    soak::Round(random).run();
    soak::shift(random);
    for (const auto collective :
         {soak::spread, soak::combine, soak::exchange, soak::collect, soak::sums, soak::overlap}) {
      if (random() % 2 == 0) collective(random);
    }
    if (check::failed != failed) std::fprintf(stderr, "rank %d: soak: in round %ld\n", check::rank, round);
  }
  return program.finish();
}
