// SPDX-License-Identifier: BSD-3-Clause
// How much memory members share for their collectives: as much as a communicator is allowed, with
// pages behind what operations have written; for persistent operations of few bytes little each; and for many
// communicators less and less each, so that all of them have some.
//
//   coll_memory LIMIT     bytes that one process may make (coll_slots_limit)
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

constexpr std::size_t kib = 1 << 10;

struct Memory {
  std::size_t mapped = 0;
  std::size_t present = 0;  ///< of what is mapped, pages that this process has touched

  Memory operator-(const Memory& before) const { return {mapped - before.mapped, present - before.present}; }
};

/// What this process has of such memory.
Memory memory() {
  std::ifstream maps("/proc/self/smaps");
  Memory found;
  bool inside = false;
  for (std::string line; std::getline(maps, line);) {
    const bool begins = line.find('-') < line.find(' ');
    if (begins) inside = line.find("memfd:bowline-slots") != std::string::npos;
    if (!inside) continue;
    if (begins) {
      char* end = nullptr;
      const std::size_t from = std::strtoull(line.c_str(), &end, 16);
      found.mapped += std::strtoull(end + 1, nullptr, 16) - from;
    } else if (line.starts_with("Rss:")) {
      found.present += std::strtoull(line.c_str() + 4, nullptr, 10) * kib;
    }
  }
  return found;
}

void of_a_communicator(MPI_Comm comm, std::size_t members) {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &other);
  MPI_Barrier(comm);  // the first one's memory
  const Memory before = memory();
  MPI_Barrier(other);
  const Memory flags = memory() - before;
  CHECK(flags.mapped > 0);
  CHECK(flags.mapped <= std::min(8192 * kib, members * 1024 * kib) + members * 40 * kib);  // the slots and lines
  CHECK(flags.present <= members * 40 * kib);

  std::vector<int> ones(16 * kib, 1), sums(ones.size());
  MPI_Allreduce(ones.data(), sums.data(), static_cast<int>(ones.size()), MPI_INT, MPI_SUM, other);
  CHECK(std::ranges::count(sums, static_cast<int>(members)) == static_cast<std::ptrdiff_t>(sums.size()));
  const Memory slots = memory() - before;
  CHECK_EQ(slots.mapped, flags.mapped);
  CHECK(slots.present >= flags.present + 32 * kib);
  MPI_Comm_free(&other);
}

void of_persistent_operations(MPI_Comm comm, std::size_t members) {
  constexpr int count = 100;
  std::vector<MPI_Request> requests(count);
  const int one = 1;
  std::vector<int> sums(count);
  const Memory before = memory();
  for (int i = 0; i < count; ++i) {
    MPI_Allreduce_init(&one, &sums[i], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[i]);
    MPI_Start(&requests[i]);
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    CHECK_EQ(sums[i], static_cast<int>(members));
  }
  const Memory taken = memory() - before;
  CHECK(taken.mapped > 0);
  CHECK(taken.mapped <= count * members * 40 * kib);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

void of_many_communicators(MPI_Comm comm, std::size_t limit) {
  constexpr int count = 50;
  std::vector<MPI_Comm> others(count);
  std::size_t all = memory().mapped;
  std::size_t last = limit;
  for (MPI_Comm& other : others) {
    MPI_Comm_dup(comm, &other);
    MPI_Barrier(other);
    const std::size_t now = memory().mapped;
    CHECK(now - all > 0);
    CHECK(now - all <= last);
    last = now - all;
    all = now;
  }
  CHECK(all <= limit);
  for (MPI_Comm& other : others) MPI_Comm_free(&other);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  int members = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &members);
  if (argc == 2) {
    of_many_communicators(MPI_COMM_WORLD, std::strtoull(argv[1], nullptr, 10));
  } else {
    of_a_communicator(MPI_COMM_WORLD, static_cast<std::size_t>(members));
    of_persistent_operations(MPI_COMM_WORLD, static_cast<std::size_t>(members));
  }
  return program.finish();
}
