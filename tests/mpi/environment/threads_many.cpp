// SPDX-License-Identifier: BSD-3-Clause
// MPI_THREAD_MULTIPLE with several threads in the library at once: each with its own tag on one communicator, each on
// its own communicator, and all of them matching the same wildcard on one. Every completion call takes part.
//
// The ranks form a ring; a rank alone talks to itself.
#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "status.hpp"

namespace {

using check::at;

constexpr int threads = 4;
constexpr int rounds = 48;
constexpr int large = 20000;  // ints
int next, previous;

// CHECK is for one thread: each of the others counts what is wrong, and main checks the sum.
std::atomic<long> wrong = 0;

void expect(bool holds) {
  if (!holds) ++wrong;
}

void run(const std::function<void(int)>& work) {
  std::vector<std::jthread> team;
  for (int thread = 0; thread < threads; ++thread) team.emplace_back([&work, thread] { work(thread); });
  team.clear();  // joins
  CHECK_EQ(wrong.exchange(0), 0);
}

// Completes the requests with one of the ways; the order of the statuses is that of the requests.
using Requests = std::array<MPI_Request, 4>;
using Statuses = std::array<MPI_Status, 4>;
constexpr int n = 4;

void complete_any(bool wait, Requests& requests, Statuses& statuses) {
  for (int left = n; left > 0; --left) {
    MPI_Status status{};
    int index = -1, flag = 0;
    if (wait) expect(MPI_Waitany(n, requests.data(), &index, &status) == MPI_SUCCESS);
    while (!wait && !flag) MPI_Testany(n, requests.data(), &index, &flag, &status);
    if (index < 0 || index >= n) return expect(false);
    statuses[at(index)] = status;
  }
}

void complete_some(bool wait, Requests& requests, Statuses& statuses) {
  std::array<int, n> indices;
  Statuses found;
  for (int left = n, count = 0; left > 0; left -= count) {
    if (wait) {
      expect(MPI_Waitsome(n, requests.data(), &count, indices.data(), found.data()) == MPI_SUCCESS);
    } else {
      expect(MPI_Testsome(n, requests.data(), &count, indices.data(), found.data()) == MPI_SUCCESS);
    }
    if (count < 0 || count > left) return expect(false);
    for (int k = 0; k < count; ++k) statuses[at(indices[at(k)])] = found[at(k)];
  }
}

void complete(int way, Requests& requests, Statuses& statuses) {
  int flag = 0;
  switch (way % 8) {
    case 0:
      return expect(MPI_Waitall(n, requests.data(), statuses.data()) == MPI_SUCCESS);
    case 1:
      while (!flag) MPI_Testall(n, requests.data(), &flag, statuses.data());
      return;
    case 2:
    case 3:
      return complete_any(way % 2 == 0, requests, statuses);
    case 4:
    case 5:
      return complete_some(way % 2 == 0, requests, statuses);
    case 6:
      for (int i = n; i-- > 0;) expect(MPI_Wait(&requests[at(i)], &statuses[at(i)]) == MPI_SUCCESS);
      return;
    default:
      for (int i = 0; i < n; ++i) {
        for (flag = 0; !flag;) MPI_Test(&requests[at(i)], &flag, &statuses[at(i)]);
      }
  }
}

// One thread's conversation with the threads of its number on the neighbours: a short and a long message each round.
void converse(MPI_Comm comm, int tag, int thread) {
  std::vector<int> out(large), in(large);
  int short_out = 0, short_in = 0;
  for (int round = 0; round < rounds; ++round) {
    const int stamp = (round * threads + thread) * 64 + check::rank, theirs = stamp - check::rank + previous;
    const int length = round % 6 == 0 ? large : 300;
    out.front() = out[at(length) - 1] = short_out = stamp;
    in.front() = in[at(length) - 1] = short_in = -1;
    Requests requests;
    Statuses statuses;
    MPI_Irecv(in.data(), large, MPI_INT, previous, tag, comm, &requests[0]);
    MPI_Isend(out.data(), length, MPI_INT, next, tag, comm, &requests[1]);
    if (round % 2) {
      MPI_Issend(&short_out, 1, MPI_INT, next, tag, comm, &requests[2]);
    } else {
      MPI_Isend(&short_out, 1, MPI_INT, next, tag, comm, &requests[2]);
    }
    MPI_Irecv(&short_in, 1, MPI_INT, round % 3 ? previous : MPI_ANY_SOURCE, tag, comm, &requests[3]);
    complete(round, requests, statuses);
    expect(check::is_message(statuses[0], previous, tag, length));
    expect(check::is_message(statuses[3], previous, tag, 1));
    expect(in.front() == theirs && in[at(length) - 1] == theirs && short_in == theirs);
    for (const MPI_Request request : requests) expect(request == MPI_REQUEST_NULL);
  }
}

// Blocking calls of all threads at once: half of the ranks send first.
void converse_blocking(MPI_Comm comm, int tag, int thread) {
  for (int round = 0; round < rounds; ++round) {
    int stamp = round * threads + thread, in = -1;
    MPI_Status status;
    if (check::size == 1 || round % 3 == 0) {
      MPI_Sendrecv(&stamp, 1, MPI_INT, next, tag, &in, 1, MPI_INT, previous, tag, comm, &status);
    } else if (check::rank == 0) {  // the one that breaks the ring
      MPI_Ssend(&stamp, 1, MPI_INT, next, tag, comm);
      MPI_Probe(previous, tag, comm, MPI_STATUS_IGNORE);
      MPI_Recv(&in, 1, MPI_INT, previous, tag, comm, &status);
    } else {
      MPI_Recv(&in, 1, MPI_INT, previous, tag, comm, &status);
      MPI_Ssend(&stamp, 1, MPI_INT, next, tag, comm);
    }
    expect(in == stamp);
    expect(check::is_message(status, previous, tag, 1));
  }
}

// All threads take whatever comes by MPI_Mprobe, while all of them send: each message is taken once, and what is
// received is what was matched.
std::vector<std::atomic<int>> taken(threads* rounds);

void match_any(MPI_Comm comm, int thread) {
  std::vector<int> out(large), in(large);
  std::vector<MPI_Request> sent(rounds);
  std::vector<std::array<int, 8>> messages(rounds);
  for (int round = 0; round < rounds; ++round) {
    const int id = thread * rounds + round;
    messages[at(round)].fill(id);
    MPI_Isend(messages[at(round)].data(), 1 + id % 8, MPI_INT, next, id, comm, &sent[at(round)]);
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status probed, status;
    if (round % 2) {
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &message, &probed);
    } else {
      for (int found = 0; !found;) MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, &message, &probed);
    }
    const int taken_id = probed.MPI_TAG, length = 1 + taken_id % 8;
    expect(check::is_message(probed, previous, taken_id, length));
    if (round % 4 < 2) {
      MPI_Mrecv(in.data(), length, MPI_INT, &message, &status);
    } else {
      MPI_Request request;
      MPI_Imrecv(in.data(), length, MPI_INT, &message, &request);
      MPI_Wait(&request, &status);
    }
    expect(message == MPI_MESSAGE_NULL);
    expect(check::is_message(status, previous, taken_id, length));
    expect(in[0] == taken_id && in[at(length) - 1] == taken_id);
    if (taken_id < 0 || taken_id >= threads * rounds) return expect(false);
    ++taken[at(taken_id)];
  }
  MPI_Waitall(rounds, sent.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = -1;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check::Program program;
  program.learn();
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  next = (check::rank + 1) % check::size;
  previous = (check::rank + check::size - 1) % check::size;

  run([](int thread) { converse(MPI_COMM_WORLD, thread, thread); });
  run([](int thread) { converse_blocking(MPI_COMM_WORLD, thread, thread); });
  std::array<MPI_Comm, threads> comms;
  bool several = true;
  for (MPI_Comm& comm : comms) several = CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS) && several;
  if (several) {
    run([&](int thread) { converse(comms[at(thread)], 0, thread); });
    run([&](int thread) { converse_blocking(comms[at(thread)], 0, thread); });
    run([&](int thread) {  // two threads on each of two communicators
      converse(comms[at(thread / 2)], thread, thread);
    });
    for (MPI_Comm& comm : comms) CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  run([](int thread) { match_any(MPI_COMM_WORLD, thread); });
  for (const std::atomic<int>& times : taken) CHECK_EQ(times.load(), 1);
  return program.finish();
}
