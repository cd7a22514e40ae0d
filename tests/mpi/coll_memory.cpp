// SPDX-License-Identifier: BSD-3-Clause
// How much memory members share for their collectives: as much as a communicator is allowed (coll_slots_size), and for
// persistent operations of few bytes little each.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

constexpr std::size_t kib = 1 << 10;

/// Bytes of such memory that this process has mapped.
std::size_t mapped() {
  std::ifstream maps("/proc/self/maps");
  std::size_t bytes = 0;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("memfd:bowline-slots") == std::string::npos) continue;
    char* end = nullptr;
    const std::size_t from = std::strtoull(line.c_str(), &end, 16);
    bytes += std::strtoull(end + 1, nullptr, 16) - from;
  }
  return bytes;
}

void of_a_communicator(MPI_Comm comm, std::size_t members) {
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &other);
  MPI_Barrier(comm);  // the first one's memory
  const std::size_t before = mapped();
  MPI_Barrier(other);
  const std::size_t bytes = mapped() - before;
  CHECK(bytes > 0);
  CHECK(bytes <= std::min(4096 * kib, members * 512 * kib) + members * 40 * kib);  // the slots, flags and notes
  MPI_Comm_free(&other);
}

void of_persistent_operations(MPI_Comm comm, std::size_t members) {
  constexpr int count = 100;
  std::vector<MPI_Request> requests(count);
  const int one = 1;
  std::vector<int> sums(count);
  const std::size_t before = mapped();
  for (int i = 0; i < count; ++i) {
    MPI_Allreduce_init(&one, &sums[i], 1, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &requests[i]);
    MPI_Start(&requests[i]);
    MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    CHECK_EQ(sums[i], static_cast<int>(members));
  }
  const std::size_t bytes = mapped() - before;
  CHECK(bytes > 0);
  CHECK(bytes <= count * members * 40 * kib);
  for (MPI_Request& request : requests) MPI_Request_free(&request);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  int members = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &members);
  of_a_communicator(MPI_COMM_WORLD, static_cast<std::size_t>(members));
  of_persistent_operations(MPI_COMM_WORLD, static_cast<std::size_t>(members));
  return program.finish();
}
