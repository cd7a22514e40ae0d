// SPDX-License-Identifier: BSD-3-Clause
// Looking at requests without completing them (MPI_Request_get_status and its all, any and some), and setting and
// reading what a status holds.
#include <array>
#include <vector>

#include "status.hpp"

namespace {

using check::at;

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int n = 4;
constexpr int large = 50000;
int next, previous;

using Requests = std::array<MPI_Request, n>;
using Statuses = std::array<MPI_Status, n>;

Statuses spoilt() {
  Statuses statuses;
  statuses.fill(check::spoilt());
  return statuses;
}

// Lists without active requests: `list` holds null and inactive handles only.
void nothing_active(const Requests& list) {
  for (const MPI_Request request : list) {
    MPI_Status status = check::spoilt();
    int flag = 0;
    CHECK_EQ(MPI_Request_get_status(request, &flag, &status), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK(check::is_empty(status));
    flag = 0;
    CHECK_EQ(MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
  }
  for (const int length : {n, 0}) {
    Statuses statuses = spoilt();
    std::array<int, n> indices;
    int flag = 0, index = 0, count = 0;
    CHECK_EQ(MPI_Request_get_status_all(length, list.data(), &flag, statuses.data()), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    for (int i = 0; i < length; ++i) CHECK(check::is_empty(statuses[at(i)]));
    flag = 0;
    CHECK_EQ(MPI_Request_get_status_all(length, list.data(), &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    flag = 0;
    CHECK_EQ(MPI_Request_get_status_any(length, list.data(), &index, &flag, &statuses[0]), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(index, MPI_UNDEFINED);
    CHECK(check::is_empty(statuses[0]));
    CHECK_EQ(MPI_Request_get_status_some(length, list.data(), &count, indices.data(), statuses.data()), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
  }
}

void nothing_active() {
  int value = 0;
  Requests list = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  nothing_active(list);
  MPI_Recv_init(&value, 1, MPI_INT, previous, 0, world, &list[1]);
  MPI_Send_init(&value, 1, MPI_INT, next, 0, world, &list[2]);
  list[3] = list[1];
  nothing_active(list);
  CHECK_EQ(MPI_Request_free(&list[1]), MPI_SUCCESS);
  CHECK_EQ(MPI_Request_free(&list[2]), MPI_SUCCESS);
}

// Receives 1 and 3 of a list with a null and an inactive request; `length` ints each.
struct List {
  explicit List(int ints) : length(ints) {
    requests.fill(MPI_REQUEST_NULL);
    MPI_Send_init(&idle, 1, MPI_INT, next, 0, world, &requests[2]);
    for (const int i : {1, 3}) MPI_Irecv(in[at(i)].data(), ints, MPI_INT, previous, i, world, &requests[at(i)]);
    before = requests;
  }
  ~List() {
    CHECK(requests == before);  // looking does not complete
    CHECK_EQ(MPI_Request_free(&requests[2]), MPI_SUCCESS);
    Statuses statuses = spoilt();
    CHECK_EQ(MPI_Waitall(n, requests.data(), statuses.data()), MPI_SUCCESS);
    for (const int i : {1, 3}) check_message(i, statuses[at(i)]);
  }
  List(const List&) = delete;
  List& operator=(const List&) = delete;

  void check_message(int i, const MPI_Status& status) const {
    CHECK(check::is_message(status, previous, i, length));
    CHECK_EQ(in[at(i)][0], i);
    CHECK_EQ(in[at(i)][at(length - 1)], i);
  }

  int length, idle = 0;
  Requests requests, before;
  static std::array<std::array<int, large>, n> in;
};
std::array<std::array<int, large>, n> List::in;

// Sends message i to the next rank; `sent` is waited for when the round is over.
void send(int i, int ints, MPI_Request& sent) {
  static std::array<std::array<int, large>, n> out;
  out[at(i)].fill(i);
  MPI_Isend(out[at(i)].data(), ints, MPI_INT, next, i, world, &sent);
}

void one(int ints) {
  List list(ints);
  MPI_Status status = check::spoilt();
  int flag = 1;
  CHECK_EQ(MPI_Request_get_status(list.requests[1], &flag, &status), MPI_SUCCESS);
  CHECK_EQ(flag, 0);
  MPI_Barrier(world);  // nobody has sent before all have looked
  std::array<MPI_Request, 2> sent;
  send(1, ints, sent[0]);
  send(3, ints, sent[1]);
  while (!flag) CHECK_EQ(MPI_Request_get_status(list.requests[1], &flag, &status), MPI_SUCCESS);
  list.check_message(1, status);
  CHECK_EQ(status.MPI_ERROR, check::untouched);
  for (int again = 0; again < 2; ++again) {
    CHECK_EQ(MPI_Request_get_status(list.requests[1], &flag, again ? MPI_STATUS_IGNORE : &status), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
  }
  MPI_Waitall(2, sent.data(), MPI_STATUSES_IGNORE);
}

void any(int ints) {
  List list(ints);
  MPI_Status status = check::spoilt();
  int flag = 1, index = -7;
  CHECK_EQ(MPI_Request_get_status_any(n, list.requests.data(), &index, &flag, &status), MPI_SUCCESS);
  CHECK_EQ(flag, 0);
  MPI_Barrier(world);
  std::array<MPI_Request, 2> sent;
  send(3, ints, sent[1]);
  while (!flag) CHECK_EQ(MPI_Request_get_status_any(n, list.requests.data(), &index, &flag, &status), MPI_SUCCESS);
  CHECK_EQ(index, 3);
  list.check_message(3, status);
  CHECK_EQ(MPI_Request_get_status_any(n, list.requests.data(), &index, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  CHECK_EQ(index, 3);  // still there, and still the only one
  MPI_Barrier(world);
  send(1, ints, sent[0]);
  MPI_Waitall(2, sent.data(), MPI_STATUSES_IGNORE);
}

void some(int ints) {
  List list(ints);
  Statuses statuses = spoilt();
  std::array<int, n> indices;
  int count = -7;
  const MPI_Request* const requests = list.requests.data();
  CHECK_EQ(MPI_Request_get_status_some(n, requests, &count, indices.data(), statuses.data()), MPI_SUCCESS);
  CHECK_EQ(count, 0);
  MPI_Barrier(world);
  std::array<MPI_Request, 2> sent;
  send(3, ints, sent[1]);
  while (count == 0) MPI_Request_get_status_some(n, requests, &count, indices.data(), statuses.data());
  CHECK_EQ(count, 1);
  CHECK_EQ(indices[0], 3);
  list.check_message(3, statuses[0]);
  CHECK_EQ(statuses[0].MPI_ERROR, check::untouched);
  MPI_Barrier(world);
  send(1, ints, sent[0]);
  while (count == 1) MPI_Request_get_status_some(n, requests, &count, indices.data(), MPI_STATUSES_IGNORE);
  CHECK_EQ(count, 2);
  CHECK_EQ(indices[0] + indices[1], 4);
  MPI_Waitall(2, sent.data(), MPI_STATUSES_IGNORE);
}

void all(int ints) {
  List list(ints);
  Statuses statuses = spoilt();
  int flag = 1;
  const MPI_Request* const requests = list.requests.data();
  std::array<MPI_Request, 2> sent;
  for (const int i : {3, 1}) {
    CHECK_EQ(MPI_Request_get_status_all(n, requests, &flag, statuses.data()), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    MPI_Barrier(world);
    send(i, ints, sent[at(i / 2)]);
  }
  while (!flag) MPI_Request_get_status_all(n, requests, &flag, statuses.data());
  for (const int i : {1, 3}) list.check_message(i, statuses[at(i)]);
  for (const int i : {0, 2}) CHECK(check::is_empty(statuses[at(i)]));
  flag = 0;
  CHECK_EQ(MPI_Request_get_status_all(n, requests, &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  MPI_Waitall(2, sent.data(), MPI_STATUSES_IGNORE);
}

// An operation that depends on this process alone is seen to have ended by a call that asks once.
void cancelled_to_oneself(int ints) {
  std::vector<int> out(at(ints));
  const auto begin = [&](MPI_Request& request) {
    CHECK_EQ(MPI_Issend(out.data(), ints, MPI_INT, check::rank, 6, world, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
  };
  const auto end = [&](MPI_Request& request, int flag, MPI_Status status) {
    CHECK_EQ(flag, 1);
    CHECK(check::cancelled(status));
    if (request != MPI_REQUEST_NULL) MPI_Wait(&request, MPI_STATUS_IGNORE);
  };
  MPI_Request request;
  MPI_Status status = check::spoilt();
  int flag = 0, index = 0;
  begin(request);
  CHECK_EQ(MPI_Request_get_status(request, &flag, &status), MPI_SUCCESS);
  end(request, flag, status);
  begin(request);
  CHECK_EQ(MPI_Request_get_status_all(1, &request, &flag, &status), MPI_SUCCESS);
  end(request, flag, status);
  begin(request);
  CHECK_EQ(MPI_Request_get_status_any(1, &request, &index, &flag, &status), MPI_SUCCESS);
  end(request, flag, status);
  begin(request);
  CHECK_EQ(MPI_Request_get_status_some(1, &request, &flag, &index, &status), MPI_SUCCESS);
  end(request, flag, status);
  begin(request);
  CHECK_EQ(MPI_Test(&request, &flag, &status), MPI_SUCCESS);
  end(request, flag, status);
  begin(request);
  CHECK_EQ(MPI_Testall(1, &request, &flag, &status), MPI_SUCCESS);
  end(request, flag, status);
  begin(request);
  CHECK_EQ(MPI_Testany(1, &request, &index, &flag, &status), MPI_SUCCESS);
  end(request, flag, status);
  begin(request);
  CHECK_EQ(MPI_Testsome(1, &request, &flag, &index, &status), MPI_SUCCESS);
  end(request, flag, status);
}

// The same of a message to oneself, for a probe.
void probed_to_oneself() {
  int out = 7, in = 0, flag = 0;
  MPI_Request request;
  MPI_Message message;
  MPI_Isend(&out, 1, MPI_INT, check::rank, 7, world, &request);
  CHECK_EQ(MPI_Iprobe(check::rank, 7, world, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  MPI_Recv(&in, 1, MPI_INT, check::rank, 7, world, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Isend(&out, 1, MPI_INT, check::rank, 7, world, &request);
  CHECK_EQ(MPI_Improbe(check::rank, 7, world, &flag, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
  if (CHECK_EQ(flag, 1)) MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// What is set in a status is read again, by function and by field, and nothing else changes.
void status_fields() {
  int value = 7, in = 0, got = 0;
  MPI_Status status;
  MPI_Sendrecv(&value, 1, MPI_INT, next, 5, &in, 1, MPI_INT, previous, 5, world, &status);
  CHECK_EQ(MPI_Status_get_source(&status, &got), MPI_SUCCESS);
  CHECK_EQ(got, previous);
  CHECK_EQ(MPI_Status_get_tag(&status, &got), MPI_SUCCESS);
  CHECK_EQ(got, 5);
  CHECK_EQ(MPI_Status_set_source(&status, 11), MPI_SUCCESS);
  CHECK_EQ(MPI_Status_set_tag(&status, 12), MPI_SUCCESS);
  CHECK_EQ(MPI_Status_set_error(&status, MPI_ERR_OTHER), MPI_SUCCESS);
  CHECK_EQ(MPI_Status_get_error(&status, &got), MPI_SUCCESS);
  CHECK_EQ(got, MPI_ERR_OTHER);
  CHECK_EQ(status.MPI_ERROR, MPI_ERR_OTHER);
  CHECK(check::is_message(status, 11, 12, 1));
  CHECK_EQ(MPI_Status_set_cancelled(&status, 1), MPI_SUCCESS);
  CHECK(check::cancelled(status));
  CHECK_EQ(MPI_Status_set_cancelled(&status, 0), MPI_SUCCESS);
  CHECK(check::is_message(status, 11, 12, 1));

  // What the status of no operation says, and that of one without a process.
  for (const int source : {MPI_ANY_SOURCE, MPI_PROC_NULL}) {
    CHECK_EQ(MPI_Status_set_source(&status, source), MPI_SUCCESS);
    CHECK_EQ(MPI_Status_set_tag(&status, MPI_ANY_TAG), MPI_SUCCESS);
    CHECK_EQ(MPI_Status_set_error(&status, MPI_SUCCESS), MPI_SUCCESS);
    CHECK_EQ(MPI_Status_set_elements(&status, MPI_BYTE, 0), MPI_SUCCESS);
    CHECK(check::is_message(status, source, MPI_ANY_TAG, 0));
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  next = (check::rank + 1) % check::size;
  previous = (check::rank + check::size - 1) % check::size;
  nothing_active();
  for (const int ints : {1, large}) {
    for (void (*const look)(int) : {one, any, some, all}) {
      look(ints);
      MPI_Barrier(world);
    }
  }
  cancelled_to_oneself(1);
  cancelled_to_oneself(large);
  probed_to_oneself();
  status_fields();
  return program.finish();
}
