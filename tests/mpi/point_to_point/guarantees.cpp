// SPDX-License-Identifier: BSD-3-Clause
// What MPI guarantees of messages: order between two ranks in every mode, the choice between receives, and progress,
// which any blocking call gives to all that is pending, on whatever communicator.
#include <array>
#include <vector>

#include "status.hpp"

namespace {

using check::at;

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int large = 300000;  // ints

// Messages of rank 0 to rank 1 in every mode and over all sizes, received in the order in which they were sent.
constexpr int messages = 240;

int length(int i) {
  constexpr std::array<int, 7> lengths = {1, 10, 11, 64, 3000, 20000, 2};
  return lengths[at(i) % lengths.size()];
}

// Tag 3 under an exact receive, tags 0 to 2 under MPI_ANY_TAG: the receiver tells them apart, the sender mixes them.
int tag(int i) {
  return i % 4;
}

void send_all(std::vector<int>& out) {
  std::vector<MPI_Request> requests;
  for (int i = 0; i < messages; ++i) {
    int* const first = &out[at(i) * 20000];
    *first = i;
    switch (i % 5) {
      case 0:
        MPI_Send(first, length(i), MPI_INT, 1, tag(i), world);
        break;
      case 1:
        MPI_Ssend(first, length(i), MPI_INT, 1, tag(i), world);
        break;
      case 2:
        MPI_Issend(first, length(i), MPI_INT, 1, tag(i), world, &requests.emplace_back());
        break;
      default:
        MPI_Isend(first, length(i), MPI_INT, 1, tag(i), world, &requests.emplace_back());
    }
  }
  CHECK_EQ(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

// Receives one by one: blocking, after a probe, matched, non-blocking.
void receive_all() {
  std::vector<int> in(20000);
  for (int i = 0; i < messages; ++i) {
    const int source = i % 3 ? MPI_ANY_SOURCE : 0, wanted = i % 2 ? MPI_ANY_TAG : tag(i);
    MPI_Status status;
    MPI_Message message;
    MPI_Request request;
    switch (i / 5 % 4) {
      case 0:
        MPI_Recv(in.data(), 20000, MPI_INT, source, wanted, world, &status);
        break;
      case 1:
        MPI_Probe(source, wanted, world, &status);
        CHECK(check::is_message(status, 0, tag(i), length(i)));
        MPI_Recv(in.data(), length(i), MPI_INT, status.MPI_SOURCE, status.MPI_TAG, world, &status);
        break;
      case 2:
        MPI_Mprobe(source, wanted, world, &message, &status);
        MPI_Mrecv(in.data(), 20000, MPI_INT, &message, &status);
        break;
      default:
        MPI_Irecv(in.data(), 20000, MPI_INT, source, wanted, world, &request);
        MPI_Wait(&request, &status);
    }
    CHECK(check::is_message(status, 0, tag(i), length(i)));
    CHECK_EQ(in[0], i);
  }
}

void order() {
  if (check::rank == 0) {
    std::vector<int> out(at(messages) * 20000);
    send_all(out);
  } else if (check::rank == 1) {
    receive_all();
  }
}

// Of the receives that fit a message, the one that was posted first takes it, wildcard or not.
void first_posted_receive_wins() {
  constexpr int n = 60;
  std::array<int, n> in{};
  std::array<MPI_Request, n> requests;
  std::array<MPI_Status, n> statuses;
  if (check::rank == 1) {
    for (int i = 0; i < n; ++i) {
      const int source = i % 3 == 1 ? MPI_ANY_SOURCE : 0, wanted = i % 2 ? MPI_ANY_TAG : 5;
      MPI_Irecv(&in[at(i)], 1, MPI_INT, source, wanted, world, &requests[at(i)]);
    }
  }
  MPI_Barrier(world);
  if (check::rank == 0) {
    for (int i = 0; i < n; ++i) MPI_Send(&i, 1, MPI_INT, 1, 5, world);
  } else if (check::rank == 1) {
    CHECK_EQ(MPI_Waitall(n, requests.data(), statuses.data()), MPI_SUCCESS);
    for (int i = 0; i < n; ++i) {
      CHECK_EQ(in[at(i)], i);
      CHECK(check::is_message(statuses[at(i)], 0, 5, 1));
    }
  }
}

// A receive from any source with one tag takes only that tag, from each sender in order; what it leaves is still there
// for the receives that want it, and another communicator's messages are none of its business.
void wildcards_take_what_fits() {
  constexpr int n = 40;
  int in = -1;
  MPI_Request by_self;
  MPI_Isend(&check::rank, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &by_self);
  if (check::rank != 0) {
    for (int i = 0; i < n; ++i) MPI_Send(&i, 1, MPI_INT, 0, i % 2, world);
  } else {
    for (const int wanted : {1, 0}) {
      std::vector<int> next(at(check::size), wanted);
      for (int i = 0; i < n / 2 * (check::size - 1); ++i) {
        MPI_Status status;
        MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, wanted, world, &status);
        if (!CHECK(status.MPI_SOURCE > 0 && status.MPI_SOURCE < check::size)) return;
        CHECK_EQ(status.MPI_TAG, wanted);
        CHECK_EQ(in, next[at(status.MPI_SOURCE)]);
        next[at(status.MPI_SOURCE)] += 2;
      }
    }
  }
  MPI_Recv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK_EQ(in, check::rank);
  CHECK_EQ(MPI_Wait(&by_self, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

enum class Blocked { receive, synchronous_send, probe, barrier, self };

// Rank 0 has a large send and a large receive pending, and sits in a blocking call that only ends after rank 1 has both
// of them behind it: that call has to move them.
void blocked_call_moves_the_rest(Blocked how) {
  std::vector<int> out(large, check::rank), in(large, -1), note(large, -1);
  if (check::rank == 0) {
    std::array<MPI_Request, 2> pending;
    MPI_Isend(out.data(), large, MPI_INT, 1, 1, world, &pending[0]);
    MPI_Irecv(in.data(), large, MPI_INT, 1, 2, world, &pending[1]);
    if (how == Blocked::receive) MPI_Recv(note.data(), 1, MPI_INT, 1, 3, world, MPI_STATUS_IGNORE);
    if (how == Blocked::synchronous_send) MPI_Ssend(out.data(), 1, MPI_INT, 1, 4, world);
    if (how == Blocked::probe) {
      MPI_Probe(MPI_ANY_SOURCE, 3, world, MPI_STATUS_IGNORE);
      MPI_Recv(note.data(), 1, MPI_INT, 1, 3, world, MPI_STATUS_IGNORE);
    }
    if (how == Blocked::self) {  // a large message to itself while the others are pending
      MPI_Sendrecv(out.data(), large, MPI_INT, 0, 5, note.data(), large, MPI_INT, 0, 5, MPI_COMM_SELF,
                   MPI_STATUS_IGNORE);
      CHECK(note == out);
      MPI_Recv(note.data(), 1, MPI_INT, 1, 3, world, MPI_STATUS_IGNORE);
    }
    if (how == Blocked::barrier) MPI_Barrier(world);
    CHECK_EQ(MPI_Waitall(2, pending.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(in[large - 1], 1);
  } else if (check::rank == 1) {
    MPI_Recv(in.data(), large, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
    CHECK_EQ(in[large - 1], 0);
    MPI_Ssend(out.data(), large, MPI_INT, 0, 2, world);
    if (how == Blocked::synchronous_send) MPI_Recv(note.data(), 1, MPI_INT, 0, 4, world, MPI_STATUS_IGNORE);
    if (how == Blocked::receive || how == Blocked::probe || how == Blocked::self) {
      MPI_Send(out.data(), 1, MPI_INT, 0, 3, world);
    }
  }
  if (how == Blocked::barrier && check::rank != 0) MPI_Barrier(world);
}

// The same with a third rank: 0 waits for 2, who waits for 1, who waits for what 0 has pending.
void progress_for_a_third() {
  std::vector<int> out(large, 7), in(large, -1);
  int token = 0;
  if (check::rank == 0) {
    MPI_Request pending;
    MPI_Issend(out.data(), large, MPI_INT, 1, 1, world, &pending);
    MPI_Recv(&token, 1, MPI_INT, 2, 1, world, MPI_STATUS_IGNORE);
    CHECK_EQ(MPI_Wait(&pending, MPI_STATUS_IGNORE), MPI_SUCCESS);
  } else if (check::rank == 1) {
    MPI_Recv(in.data(), large, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
    CHECK(in == out);
    MPI_Ssend(&token, 1, MPI_INT, 2, 1, world);
  } else if (check::rank == 2) {
    MPI_Recv(&token, 1, MPI_INT, 1, 1, world, MPI_STATUS_IGNORE);
    MPI_Ssend(&token, 1, MPI_INT, 0, 1, world);
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  wildcards_take_what_fits();
  MPI_Barrier(world);
  if (check::size > 1) {
    order();
    MPI_Barrier(world);
    first_posted_receive_wins();
    for (const Blocked how :
         {Blocked::receive, Blocked::synchronous_send, Blocked::probe, Blocked::barrier, Blocked::self}) {
      blocked_call_moves_the_rest(how);
    }
  }
  if (check::size > 2) progress_for_a_third();
  return program.finish();
}
