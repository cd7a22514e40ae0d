// SPDX-License-Identifier: BSD-3-Clause
// For queues_test.py, queue_library_test.py and gdb_queues_test.py: ranks that say "ready" when something is pending in
// them, and then wait outside of MPI, or that exchange messages for ever.
//
//   queue_ranks demo       two ranks with operations of all kinds, which print addresses
//   queue_ranks pending    three ranks with receives, messages and sends that match nothing
//   queue_ranks moving     two ranks between which a long message is under way, in pieces
//   queue_ranks busy       three ranks that exchange messages
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int long_message = 1 << 20;
constexpr int longer_message = 32 << 20;
constexpr int ranks = 3;
const MPI_Comm world = MPI_COMM_WORLD;

std::vector<char> data(longer_message);  // of every operation that stays pending

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

void receive(int source, int tag, int count, MPI_Datatype type, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(data.data(), count, type, source, tag, comm, &request);
}

void send(int to, int tag, int bytes, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(data.data(), bytes, MPI_CHAR, to, tag, comm, &request);
}

/// Returns when the message has arrived; it stays unexpected.
void probe(int source, int tag, MPI_Comm comm) {
  MPI_Probe(source, tag, comm, MPI_STATUS_IGNORE);
}

/// The ranks in the opposite order.
MPI_Comm turned() {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_split(world, 0, -rank_of(world), &comm);
  MPI_Comm_set_name(comm, "turned\nround");
  return comm;
}

/// Rank 0 on one side, ranks 1 and 2 on the other one.
MPI_Comm bridge() {
  MPI_Comm local = MPI_COMM_NULL, comm = MPI_COMM_NULL;
  const int rank = rank_of(world);
  MPI_Comm_split(world, rank == 0 ? 0 : 1, 0, &local);
  MPI_Intercomm_create(local, 0, world, rank == 0 ? 1 : 0, 0, &comm);
  return comm;
}

void be_pending() {
  const MPI_Comm other_way = turned(), other_side = bridge();
  switch (rank_of(world)) {
    case 0: {
      receive(1, 11, 10, MPI_INT, world);
      receive(MPI_ANY_SOURCE, MPI_ANY_TAG, 3, MPI_DOUBLE, other_way);
      receive(1, 12, 1, MPI_CHAR, other_side);
      send(1, 31, long_message, world);
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Issend(data.data(), 5, MPI_CHAR, 2, 32, world, &request);
      MPI_Send_init(data.data(), 5, MPI_CHAR, 2, 33, world, &request);  // is not pending
      probe(1, 21, world);
      probe(2, 22, world);
      break;
    }
    case 1:
      send(0, 21, 8, world);
      probe(0, 31, world);
      probe(0, 34, other_way);
      break;
    default:
      send(0, 22, long_message, world);
      send(1, 34, long_message, other_way);  // to rank 1 of the world
      probe(0, 32, world);
  }
}

MPI_Comm named_copy(const char* name) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(world, &comm);
  MPI_Comm_set_name(comm, name);
  return comm;
}

/// Says "rank R ready, data D, requests" and their handles: a receive, a receive from any rank, a send, a synchronous
/// send, a persistent send that is not started, a receive that has ended, and in rank 0 a non-blocking collective.
void be_demo() {
  const int rank = rank_of(world), other = 1 - rank;
  const MPI_Comm copy = named_copy("copy of the world"), open = named_copy("open to all");
  std::array<MPI_Request, 7> requests;
  requests.fill(MPI_REQUEST_NULL);
  for (int i = 0; i < 3; ++i) MPI_Irecv(data.data() + i, i, MPI_INT, other, 100 + i, world, requests.data());
  MPI_Irecv(data.data(), 3, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, open, &requests[1]);
  MPI_Isend(data.data(), long_message, MPI_CHAR, other, 31, world, &requests[2]);
  MPI_Issend(data.data() + 1, 5, MPI_CHAR, other, 32, copy, &requests[3]);
  MPI_Send_init(data.data(), 7, MPI_CHAR, other, 33, world, &requests[4]);
  MPI_Irecv(data.data(), 2, MPI_INT, rank, 34, world, &requests[5]);
  MPI_Send(data.data(), 1, MPI_INT, rank, 34, world);
  if (rank == 0) MPI_Ibarrier(open, &requests[6]);
  MPI_Send(data.data(), 8, MPI_INT, other, 1, world);
  MPI_Send(data.data(), 4, MPI_INT, other, 2, copy);
  probe(other, 31, world);
  probe(other, 32, copy);
  probe(other, 1, world);
  probe(other, 2, copy);
  MPI_Barrier(world);  // without further calls a rank may keep what the other one probes for
  std::printf("rank %d ready, data %p, requests", rank, static_cast<void*>(data.data()));
  for (const MPI_Request request : requests) std::printf(" %p", reinterpret_cast<void*>(request));
  std::printf("\n");
  std::fflush(stdout);
}

/// Rank 1 takes no piece after it has asked for them. Each marker arrives after what was sent before it.
void be_moving() {
  constexpr int receives = 25, marker = 42;
  MPI_Comm freed = MPI_COMM_NULL;
  MPI_Comm_dup(world, &freed);
  char mark = 0;
  if (rank_of(world) == 0) {
    for (int i = 0; i < receives; ++i) receive(1, 100 + i, 1, MPI_CHAR, freed);
    send(1, 41, longer_message, world);
    MPI_Send(&mark, 1, MPI_CHAR, 1, marker, world);
    MPI_Recv(&mark, 1, MPI_CHAR, 1, marker, world, MPI_STATUS_IGNORE);
  } else {
    receive(0, 41, longer_message, MPI_CHAR, world);
    MPI_Recv(&mark, 1, MPI_CHAR, 0, marker, world, MPI_STATUS_IGNORE);
    MPI_Send(&mark, 1, MPI_CHAR, 0, marker, world);
  }
  MPI_Comm_free(&freed);
}

void be_busy() {
  const int rank = rank_of(world);
  std::array<MPI_Request, 4> requests;
  std::vector<char> in(long_message);
  for (;;) {
    const int next = (rank + 1) % ranks, previous = (rank + ranks - 1) % ranks;
    MPI_Irecv(in.data(), 4, MPI_CHAR, previous, 1, world, requests.data());
    MPI_Irecv(in.data() + 4, long_message - 4, MPI_CHAR, previous, 2, world, &requests[1]);
    MPI_Isend(data.data(), 4, MPI_CHAR, next, 1, world, &requests[2]);
    MPI_Isend(data.data() + 4, long_message - 4, MPI_CHAR, next, 2, world, &requests[3]);
    MPI_Waitall(4, requests.data(), MPI_STATUSES_IGNORE);
  }
}

void say_ready() {
  std::printf("rank %d ready\n", rank_of(world));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "before_init")
    for (;;) pause();
  MPI_Init(&argc, &argv);
  if (what == "busy") {
    say_ready();
    be_busy();
  }
  if (what == "demo") {
    be_demo();
    for (;;) pause();
  }
  if (what == "pending") be_pending();
  if (what == "moving") be_moving();
  say_ready();
  for (;;) pause();
}
