// SPDX-License-Identifier: BSD-3-Clause
// Ranks that talk in short messages, each to a favourite that changes: everything arrives whole and in order. Between
// bursts ranks wait long enough to sleep, and are woken by the next message at once.
//
// Argument: rounds.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

using Clock = std::chrono::steady_clock;

constexpr int most_numbers = 40;  // in a message; some are too long to go inside an adapter's request
const MPI_Comm world = MPI_COMM_WORLD;

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

/// Message `number` from `source` to `dest` in a round: its length and contents follow from these.
struct Message {
  std::vector<std::uint64_t> numbers;
  Message(int round, int source, int dest, int number) {
    std::mt19937_64 random(static_cast<std::uint64_t>(((round * 64 + source) * 64 + dest) * 4096 + number));
    numbers.resize(random() % 4 == 0 ? random() % most_numbers : random() % 8);
    for (std::uint64_t& each : numbers) each = random();
  }
  int count() const { return static_cast<int>(numbers.size()); }
};

/// How many messages `source` sends to `dest` in a round; all ranks compute the same.
int messages(int round, int source, int dest) {
  if (source == dest) return 0;
  const int favourite = (source + 1 + round % (check::size - 1)) % check::size;
  return dest == favourite ? 150 + round * 37 % 200 : round * 11 % 5;
}

void send_all(int round) {
  std::vector<int> sent(at(check::size), 0);
  for (bool more = true; more;) {
    more = false;
    for (int dest = 0; dest < check::size; ++dest) {
      for (int burst = 0; burst < 1 + dest % 3 && sent[at(dest)] < messages(round, check::rank, dest); ++burst) {
        const Message message(round, check::rank, dest, sent[at(dest)]++);
        MPI_Send(message.numbers.data(), message.count(), MPI_UINT64_T, dest, round, world);
        more = true;
      }
    }
  }
}

void receive_all(int round) {
  std::vector<int> next(at(check::size), 0);
  std::vector<std::uint64_t> in(most_numbers);
  int expected = 0;
  for (int source = 0; source < check::size; ++source) expected += messages(round, source, check::rank);
  for (int i = 0; i < expected; ++i) {
    MPI_Status status;
    MPI_Recv(in.data(), most_numbers, MPI_UINT64_T, MPI_ANY_SOURCE, round, world, &status);
    int count = 0;
    MPI_Get_count(&status, MPI_UINT64_T, &count);
    const int number = next[at(status.MPI_SOURCE)]++;
    const Message right(round, status.MPI_SOURCE, check::rank, number);
    CHECK(std::equal(right.numbers.begin(), right.numbers.end(), in.begin(), in.begin() + count));
  }
}

/// Half of the ranks send before they receive, so the unexpected ones come, too. In each round one rank is late.
void talk(int rounds) {
  for (int round = 0; round < rounds; ++round) {
    if (round % 4 == 0 && round / 4 % check::size == check::rank)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    send_all(round);
    receive_all(round);
  }
}

/// A rank that has received a burst and then waits hears of the next message soon: a sleep whose end nobody brings
/// about takes 100 ms.
void wake() {
  constexpr int times = 21, burst = 100;
  constexpr std::chrono::milliseconds pause{20}, soon{40};
  std::vector<Clock::duration> delays;
  for (int i = 0; i < times && check::rank < 2; ++i) {
    std::int64_t sent = 0;
    for (int j = 0; j <= burst; ++j) {
      if (check::rank == 1) {
        if (j == burst) std::this_thread::sleep_for(pause);
        sent = Clock::now().time_since_epoch().count();  // one clock for all processes of a machine
        MPI_Send(&sent, 1, MPI_INT64_T, 0, 0, world);
      } else {
        MPI_Recv(&sent, 1, MPI_INT64_T, 1, 0, world, MPI_STATUS_IGNORE);
      }
    }
    delays.push_back(Clock::now().time_since_epoch() - Clock::duration(sent));
  }
  if (check::rank != 0) return;
  std::ranges::nth_element(delays, delays.begin() + times / 2);
  CHECK(delays[times / 2] < soon);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  talk(argc > 1 ? std::atoi(argv[1]) : 60);
  wake();
  CHECK_EQ(MPI_Barrier(world), MPI_SUCCESS);
  return program.finish();
}
