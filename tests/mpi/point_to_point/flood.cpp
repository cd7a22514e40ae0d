// SPDX-License-Identifier: BSD-3-Clause
// Ranks that send far more than the receiver has asked for: everything arrives, in order, and a rank that is flooded
// still takes part in everything else. With a limit, its memory does not grow beyond that.
//
// Arguments: messages from each flooding rank, bytes in each, and in MiB by how much the flooded rank may grow (0: not
// looked at). Needs at least two ranks; rank 1 is flooded by rank 0, then by all others at once.
#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "messages.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

struct Flood {
  int messages;
  int ints;  // in each message
};

// The largest resident size of this process so far, in KiB; 0 where the system does not tell.
long peak_kib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    long kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib;
  }
  return 0;
}

// All messages are windows of one array: message i is `ints` numbers from i on, and thus tells its place.
std::vector<int> numbers(const Flood& flood) {
  std::vector<int> all(static_cast<std::size_t>(flood.messages + flood.ints));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i);
  return all;
}

void send_flood(const Flood& flood) {
  const std::vector<int> all = numbers(flood);
  std::vector<MPI_Request> requests(static_cast<std::size_t>(flood.messages), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    MPI_Isend(&all[i], flood.ints, MPI_INT, 1, 1, world, &requests[i]);
  }
  MPI_Barrier(world);
  CHECK_EQ(MPI_Waitall(flood.messages, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

// Receives everything; from one sender each message must be the next.
void receive_flood(const Flood& flood, int senders, int source) {
  const std::vector<int> all = numbers(flood);
  std::vector<int> in(static_cast<std::size_t>(flood.ints)), next(static_cast<std::size_t>(check::size), 0);
  for (long i = 0; i < static_cast<long>(senders) * flood.messages; ++i) {
    MPI_Status status;
    if (!CHECK_EQ(MPI_Recv(in.data(), flood.ints, MPI_INT, source, 1, world, &status), MPI_SUCCESS)) return;
    const int place = next[static_cast<std::size_t>(status.MPI_SOURCE)]++;
    const bool right = std::equal(in.begin(), in.end(), all.begin() + place);
    if (!CHECK(right)) {
      check::report(__FILE__, __LINE__,
                    "message " + std::to_string(place) + " of rank " + std::to_string(status.MPI_SOURCE) +
                        " starts with " + std::to_string(in[0]));
      return;
    }
  }
}

// Rank 1 meets all in a barrier, then hears from the last rank, and only then receives what `senders` ranks have sent
// it.
void run(const Flood& flood, bool everyone) {
  const int last = check::size - 1, senders = everyone ? check::size - 1 : 1;
  int value = check::rank;
  const bool floods = check::rank != 1 && (everyone || check::rank == 0);
  if (floods) {
    send_flood(flood);
  } else {
    MPI_Barrier(world);
  }
  // The last rank's word comes behind its own flood, if it has sent one, and must be found all the same.
  if (check::rank == last && last > 1) MPI_Send(&value, 1, MPI_INT, 1, 2, world);
  if (check::rank == 1) {
    if (last > 1 && !everyone) {
      MPI_Recv(&value, 1, MPI_INT, last, 2, world, MPI_STATUS_IGNORE);
      CHECK_EQ(value, last);
    }
    receive_flood(flood, senders, everyone ? MPI_ANY_SOURCE : 0);
    if (last > 1 && everyone) MPI_Recv(&value, 1, MPI_INT, last, 2, world, MPI_STATUS_IGNORE);
  }
  CHECK_EQ(MPI_Barrier(world), MPI_SUCCESS);
}

// Makes the ways between the ranks, which are not what is measured.
void get_acquainted(const Flood& flood) {
  const std::vector<int> all = numbers(flood);
  std::vector<int> in(static_cast<std::size_t>(flood.ints));
  for (int peer = 0; peer < check::size; ++peer) {
    MPI_Sendrecv(all.data(), flood.ints, MPI_INT, (check::rank + peer) % check::size, 3, in.data(), flood.ints, MPI_INT,
                 (check::rank + check::size - peer) % check::size, 3, world, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(world);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  if (argc != 4) {
    check::report(__FILE__, __LINE__, "usage: flood MESSAGES BYTES LIMIT_MIB");
    return program.finish();
  }
  const Flood flood{std::atoi(argv[1]), std::atoi(argv[2]) / static_cast<int>(sizeof(int))};
  const long limit_kib = std::atol(argv[3]) * 1024;
  get_acquainted(flood);
  const long before = peak_kib();
  for (const bool everyone : {false, true}) run(flood, everyone);
  if (check::rank == 1 && limit_kib > 0 && CHECK(before > 0)) {
    const long growth = peak_kib() - before;
    if (!CHECK(growth <= limit_kib)) {
      check::report(__FILE__, __LINE__, "the flooded rank grew by " + std::to_string(growth) + " KiB");
    }
  }
  CHECK_EQ(check::size >= 2, true);
  return program.finish();
}
