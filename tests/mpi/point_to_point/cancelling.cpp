// SPDX-License-Identifier: BSD-3-Clause
// MPI_Cancel: a receive that nothing has matched is gone, one that is matched stays, a send is either cancelled or
// received, and what follows is right in every case.
#include <algorithm>
#include <array>
#include <vector>

#include "messages.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

int next_rank() {
  return (check::rank + 1) % check::size;
}

int previous_rank() {
  return (check::rank + check::size - 1) % check::size;
}

// Cancels and completes the request; says whether it was cancelled.
bool cancel(MPI_Request& request, bool testing, MPI_Status& status) {
  status = unset_status();
  CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
  if (testing) {
    for (int flag = 0; !flag;) CHECK_EQ(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
  } else {
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  }
  return cancelled(status);
}

// Nobody sends: the receive is cancelled and its memory untouched. The next message is for the next receive.
void posted_receives(int bytes, int source, int tag, bool testing) {
  Bytes in(static_cast<std::size_t>(bytes), 0xEE), second(in.size());
  const Bytes out = contents(in.size(), check::rank);
  MPI_Request first, send;
  MPI_Status status;
  MPI_Barrier(world);
  MPI_Irecv(in.data(), bytes, MPI_BYTE, source, tag, world, &first);
  CHECK(cancel(first, testing, status));
  CHECK(first == MPI_REQUEST_NULL);
  MPI_Barrier(world);
  MPI_Isend(out.data(), bytes, MPI_BYTE, next_rank(), 5, world, &send);
  CHECK_EQ(MPI_Recv(second.data(), bytes, MPI_BYTE, source, tag, world, &status), MPI_SUCCESS);
  CHECK_STATUS(status, previous_rank(), 5, bytes);
  CHECK(second == contents(in.size(), previous_rank()));
  CHECK(in == Bytes(in.size(), 0xEE));
  CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

// Every third of many equal receives is cancelled; the messages go to the others, in order.
void among_others() {
  constexpr int n = 60;
  std::array<int, n> in;
  std::array<MPI_Request, n> requests;
  std::array<MPI_Status, n> statuses;
  in.fill(-1);
  MPI_Barrier(world);
  for (int i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int source = i % 2 ? MPI_ANY_SOURCE : previous_rank(), tag = i % 5 ? 6 : MPI_ANY_TAG;
    MPI_Irecv(&in[at], 1, MPI_INT, source, tag, world, &requests[at]);
  }
  for (std::size_t i = n; i-- > 0;) {
    if (i % 3 == 0) CHECK_EQ(MPI_Cancel(&requests[i]), MPI_SUCCESS);
  }
  MPI_Barrier(world);
  for (int i = 0; i < n - n / 3; ++i) MPI_Send(&i, 1, MPI_INT, next_rank(), 6, world);
  CHECK_EQ(MPI_Waitall(n, requests.data(), statuses.data()), MPI_SUCCESS);
  int expected = 0;
  for (std::size_t i = 0; i < n; ++i) {
    CHECK_EQ(cancelled(statuses[i]), i % 3 == 0);
    CHECK_EQ(in[i], i % 3 == 0 ? -1 : expected++);
  }
  MPI_Barrier(world);
}

// A persistent receive is cancelled as often as it is started, and still receives when something comes.
void persistent_receives() {
  int in = -1;
  const int out = check::rank;
  MPI_Request request, send;
  MPI_Status status;
  MPI_Recv_init(&in, 1, MPI_INT, previous_rank(), 7, world, &request);
  const MPI_Request handle = request;
  for (int round = 0; round < 6; ++round) {
    in = -1;
    MPI_Barrier(world);
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    if (round % 2 == 0) {
      CHECK(cancel(request, round % 4 == 0, status));
      CHECK_EQ(in, -1);
    } else {
      MPI_Isend(&out, 1, MPI_INT, next_rank(), 7, world, &send);
      CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
      CHECK_STATUS(status, previous_rank(), 7, static_cast<int>(sizeof in));
      CHECK_EQ(in, previous_rank());
      CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK(request == handle);
  }
  // Cancelled and freed while it is active: the request is gone, and so is the receive.
  MPI_Start(&request);
  CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
  CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  MPI_Barrier(world);
  MPI_Isend(&out, 1, MPI_INT, next_rank(), 7, world, &send);
  MPI_Recv(&in, 1, MPI_INT, previous_rank(), 7, world, MPI_STATUS_IGNORE);
  CHECK_EQ(in, previous_rank());
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

// The message has arrived, which its synchronous send has proved: too late to cancel.
void matched_receives(int bytes) {
  Bytes in(static_cast<std::size_t>(bytes));
  const Bytes out = contents(in.size(), check::rank);
  MPI_Request receive, send;
  MPI_Status status;
  MPI_Irecv(in.data(), bytes, MPI_BYTE, previous_rank(), 8, world, &receive);
  MPI_Issend(out.data(), bytes, MPI_BYTE, next_rank(), 8, world, &send);
  CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_Barrier(world);
  CHECK(!cancel(receive, false, status));
  CHECK_STATUS(status, previous_rank(), 8, bytes);
  CHECK(in == contents(in.size(), previous_rank()));
}

// Rank 1 looks for messages and takes what it finds, until it knows which sends were cancelled and has all others.
void take_the_rest(int sends, int bytes) {
  std::vector<int> outcome(static_cast<std::size_t>(sends), -1), seen;
  std::size_t expected = static_cast<std::size_t>(sends) + 1;  // not known yet
  MPI_Request told;
  int known = 0, found = 0;
  MPI_Irecv(outcome.data(), sends, MPI_INT, 0, 2, world, &told);
  while (!known || seen.size() < expected) {
    MPI_Message message;
    MPI_Status status;
    MPI_Improbe(0, 1, world, &found, &message, &status);
    if (found) {
      Bytes in(static_cast<std::size_t>(bytes) + static_cast<std::size_t>(sends));
      MPI_Mrecv(in.data(), static_cast<int>(in.size()), MPI_BYTE, &message, &status);
      const int which = bytes_in(status) - bytes;  // the length tells which of the messages it is
      in.resize(static_cast<std::size_t>(bytes_in(status)));
      CHECK(in == contents(in.size(), which));
      seen.push_back(which);
    }
    if (known) continue;
    MPI_Test(&told, &known, MPI_STATUS_IGNORE);
    if (known) expected = static_cast<std::size_t>(std::count(outcome.begin(), outcome.end(), 0));
  }
  std::vector<int> kept;
  for (int i = 0; i < sends; ++i) {
    if (outcome[static_cast<std::size_t>(i)] == 0) kept.push_back(i);
  }
  CHECK(seen == kept);  // each message that was not cancelled, once, and in order
  MPI_Iprobe(0, 1, world, &found, MPI_STATUS_IGNORE);
  CHECK_EQ(found, 0);
}

// Sends that nobody has matched, every second of them cancelled. Either outcome is right for each of those, but what
// the status says must be true.
void sends(bool synchronous, int bytes) {
  constexpr int n = 20;
  int value = 0;
  if (check::rank == 1) {
    MPI_Recv(&value, 1, MPI_INT, 0, 3, world, MPI_STATUS_IGNORE);  // until all are cancelled nothing is received
    take_the_rest(n, bytes);
    MPI_Send(&value, 1, MPI_INT, 0, 4, world);
    Bytes in(static_cast<std::size_t>(bytes));
    MPI_Recv(in.data(), bytes, MPI_BYTE, 0, 1, world, MPI_STATUS_IGNORE);
    CHECK(in == contents(in.size(), 99));
  } else if (check::rank == 0) {
    std::vector<Bytes> out;
    std::vector<int> outcome;
    std::array<MPI_Request, n> requests;
    std::array<MPI_Status, n> statuses;
    for (int i = 0; i < n; ++i) out.push_back(contents(static_cast<std::size_t>(bytes + i), i));
    for (std::size_t i = 0; i < n; ++i) {
      const auto isend = synchronous ? MPI_Issend : MPI_Isend;
      isend(out[i].data(), static_cast<int>(out[i].size()), MPI_BYTE, 1, 1, world, &requests[i]);
    }
    for (std::size_t i = 0; i < n; i += 2) CHECK_EQ(MPI_Cancel(&requests[i]), MPI_SUCCESS);
    MPI_Send(&value, 1, MPI_INT, 1, 3, world);
    CHECK_EQ(MPI_Waitall(n, requests.data(), statuses.data()), MPI_SUCCESS);
    for (std::size_t i = 0; i < n; ++i) {
      outcome.push_back(cancelled(statuses[i]) ? 1 : 0);
      if (i % 2 == 1) CHECK_EQ(outcome.back(), 0);
    }
    MPI_Send(outcome.data(), n, MPI_INT, 1, 2, world);
    MPI_Recv(&value, 1, MPI_INT, 1, 4, world, MPI_STATUS_IGNORE);
    const Bytes last = contents(static_cast<std::size_t>(bytes), 99);
    MPI_Send(last.data(), bytes, MPI_BYTE, 1, 1, world);
  }
  MPI_Barrier(world);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  for (const bool testing : {false, true}) {
    for (const int bytes : {0, 4, 8193, 300000}) {
      posted_receives(bytes, previous_rank(), 5, testing);
      posted_receives(bytes, MPI_ANY_SOURCE, 5, testing);
    }
  }
  among_others();
  persistent_receives();
  for (const int bytes : {0, 4, 8193, 300000}) matched_receives(bytes);
  for (const int bytes : {4, 8193, 300000}) {
    if (check::size == 1) break;
    for (const bool synchronous : {true, false}) sends(synchronous, bytes);
  }
  int value = 0;
  MPI_Request null = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  CHECK_EQ(class_of(MPI_Cancel(&null)), MPI_ERR_REQUEST);
  CHECK_EQ(MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, world), MPI_SUCCESS);
  return program.finish();
}
