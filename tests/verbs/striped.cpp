// SPDX-License-Identifier: BSD-3-Clause
// Long messages between all ranks, until they have been striped over two adapters. The argument says what to expect:
//   both      the second adapter of each rank carries some of them
//   one       that of some rank carries nothing, because the rank has one adapter only
//   cut       both; then the second adapter of all ranks loses its link for good, while messages are under way
// The program asks the simulated fabric what each adapter has carried, and takes the link down there.
#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "support/fabric/fabric_control.hpp"

namespace {

using Bytes = std::vector<unsigned char>;

constexpr int lengths[] = {1, 5000, 131'071, 131'072, 200'001, 1 << 20, 3'000'001};

/// The fabric is loaded by Bowline, so its functions are not among those of the program.
void* fabric() {
  static void* const library = dlopen("libibverbs.so.1", RTLD_NOW);
  return library;
}

fabric_counts counts() {
  fabric_counts now{};
  reinterpret_cast<decltype(&fabric_count)>(dlsym(fabric(), "fabric_count"))(&now);
  return now;
}

void take_down() {
  reinterpret_cast<decltype(&fabric_link_down)>(dlsym(fabric(), "fabric_link_down"))(1, 1, -1);
}

unsigned char byte_of(int from, int round, std::size_t at) {
  return static_cast<unsigned char>(at * 31 + at / 4096 + static_cast<unsigned>(from * 7 + round));
}

/// Each rank sends a message of each length to each other one.
class Round {
 public:
  explicit Round(int number) : number_(number) {
    for (int peer = 0; peer < check::size; ++peer) {
      if (peer == check::rank) continue;
      for (const int length : lengths) begin(peer, length);
    }
  }
  void finish() {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    for (const Message& each : received_) {
      std::size_t wrong = 0;
      for (std::size_t at = 0; at < each.bytes.size(); ++at) wrong += each.bytes[at] != byte_of(each.peer, number_, at);
      CHECK_EQ(wrong, 0U);
    }
  }

 private:
  struct Message {
    int peer;
    Bytes bytes;
  };
  void begin(int peer, int length) {
    Bytes& in = received_.emplace_back(Message{peer, Bytes(static_cast<std::size_t>(length))}).bytes;
    MPI_Irecv(in.data(), length, MPI_BYTE, peer, length, MPI_COMM_WORLD, &requests_.emplace_back());
    Bytes& out = sent_.emplace_back(static_cast<std::size_t>(length));
    for (std::size_t at = 0; at < out.size(); ++at) out[at] = byte_of(check::rank, number_, at);
    MPI_Isend(out.data(), length, MPI_BYTE, peer, length, MPI_COMM_WORLD, &requests_.emplace_back());
  }

  int number_;
  std::vector<Message> received_;
  std::vector<Bytes> sent_;
  std::vector<MPI_Request> requests_;
};

/// What the second adapters of all ranks have carried; the least of a rank.
std::uint64_t least_over_second() {
  std::uint64_t bytes = counts().transferred[1];
  MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const std::string_view expected = argc > 1 ? argv[1] : "both";
  const int rounds = expected == "one" ? 20 : 2000;
  int number = 0;
  while (number < rounds && (expected == "one" || least_over_second() == 0)) Round(number++).finish();
  CHECK_EQ(least_over_second() > 0, expected != "one");
  if (expected == "cut") {
    Round under_way(number++);
    if (check::rank == 0) take_down();
    under_way.finish();
    for (int i = 0; i < 5; ++i) Round(number++).finish();
    std::uint64_t failed = counts().failed;
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    CHECK(failed > 0);
    const std::uint64_t before = counts().transferred[1];
    Round(number++).finish();
    CHECK_EQ(counts().transferred[1], before);
  }
  return program.finish();
}
