// SPDX-License-Identifier: BSD-3-Clause
// What a persistent request is when it is not at work: inactive, freed, towards MPI_PROC_NULL, started wrongly.
#include <array>

#include "messages.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

// Completion calls ignore inactive requests: they return at once, with empty statuses, and keep the handles.
void check_inactive(std::array<MPI_Request, 2> requests) {
  const std::array<MPI_Request, 2> before = requests;
  std::array<MPI_Status, 2> statuses;
  std::array<int, 2> indices;
  const auto forget = [&] { statuses = {unset_status(), unset_status()}; };
  int flag = 0, index = 0, count = 0;

  forget();
  CHECK_EQ(MPI_Wait(&requests[0], &statuses[0]), MPI_SUCCESS);
  CHECK_EMPTY(statuses[0]);
  forget();
  CHECK_EQ(MPI_Test(&requests[1], &flag, &statuses[1]), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  CHECK_EMPTY(statuses[1]);
  for (const MPI_Request request : requests) {
    forget();
    flag = 0;
    CHECK_EQ(MPI_Request_get_status(request, &flag, &statuses[0]), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EMPTY(statuses[0]);
  }
  forget();
  CHECK_EQ(MPI_Waitall(2, requests.data(), statuses.data()), MPI_SUCCESS);
  for (const MPI_Status& status : statuses) CHECK_EMPTY(status);
  forget();
  flag = 0;
  CHECK_EQ(MPI_Testall(2, requests.data(), &flag, statuses.data()), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  for (const MPI_Status& status : statuses) CHECK_EMPTY(status);
  forget();
  CHECK_EQ(MPI_Waitany(2, requests.data(), &index, &statuses[0]), MPI_SUCCESS);
  CHECK_EQ(index, MPI_UNDEFINED);
  CHECK_EMPTY(statuses[0]);
  forget();
  flag = index = 0;
  CHECK_EQ(MPI_Testany(2, requests.data(), &index, &flag, &statuses[0]), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  CHECK_EQ(index, MPI_UNDEFINED);
  CHECK_EMPTY(statuses[0]);
  CHECK_EQ(MPI_Waitsome(2, requests.data(), &count, indices.data(), statuses.data()), MPI_SUCCESS);
  CHECK_EQ(count, MPI_UNDEFINED);
  count = 0;
  CHECK_EQ(MPI_Testsome(2, requests.data(), &count, indices.data(), statuses.data()), MPI_SUCCESS);
  CHECK_EQ(count, MPI_UNDEFINED);
  CHECK(requests == before);
}

// Inactive before the first start, and again after each completion.
void inactive() {
  const int out = 5 + check::rank;
  int in = -1;
  std::array<MPI_Request, 2> requests;
  MPI_Recv_init(&in, 1, MPI_INT, check::rank, 1, world, &requests[0]);
  MPI_Send_init(&out, 1, MPI_INT, check::rank, 1, world, &requests[1]);
  check_inactive(requests);
  for (int round = 0; round < 3; ++round) {
    in = -1;
    MPI_Startall(2, requests.data());
    CHECK_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(in, out);
    check_inactive(requests);
  }
  for (MPI_Request& request : requests) CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
}

// A request that is freed while it is at work: its message arrives all the same. Ready mode is left out, as the receive
// is late here on purpose.
void freed_sends(int bytes) {
  constexpr int rounds = 10;
  const AttachedBuffer buffer(rounds * (static_cast<std::size_t>(bytes) + MPI_BSEND_OVERHEAD));
  const auto init = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init};
  const Bytes out = contents(static_cast<std::size_t>(bytes), 3);
  if (check::rank == 0) {
    for (int round = 0; round < rounds; ++round) {
      for (const auto& init_one : init) {
        MPI_Request request;
        init_one(out.data(), bytes, MPI_BYTE, 1, round, world, &request);
        MPI_Start(&request);
        CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
        CHECK(request == MPI_REQUEST_NULL);
      }
    }
  }
  MPI_Barrier(world);
  for (int i = 0; check::rank == 1 && i < rounds * static_cast<int>(init.size()); ++i) {
    Bytes in(out.size());
    MPI_Status status;
    MPI_Recv(in.data(), bytes, MPI_BYTE, 0, MPI_ANY_TAG, world, &status);
    CHECK_STATUS(status, 0, i / static_cast<int>(init.size()), bytes);
    CHECK(in == out);
  }
  MPI_Barrier(world);  // `out` lives until everything has arrived
}

// A freed receive still takes its message. Its completion shows only in the memory, which is looked at while MPI is
// given the chance to progress.
void freed_receive(bool persistent) {
  const int to = (check::rank + 1) % check::size, from = (check::rank + check::size - 1) % check::size;
  volatile int in = -1;
  int out = 100 + check::rank, found = 0;
  MPI_Request receive, send;
  void* const memory = const_cast<int*>(&in);
  if (persistent) {
    MPI_Recv_init(memory, 1, MPI_INT, from, 2, world, &receive);
    MPI_Start(&receive);
  } else {
    MPI_Irecv(memory, 1, MPI_INT, from, 2, world, &receive);
  }
  CHECK_EQ(MPI_Request_free(&receive), MPI_SUCCESS);
  CHECK(receive == MPI_REQUEST_NULL);
  MPI_Barrier(world);
  MPI_Issend(&out, 1, MPI_INT, to, 2, world, &send);
  while (in == -1) MPI_Iprobe(from, 3, world, &found, MPI_STATUS_IGNORE);
  CHECK_EQ(static_cast<int>(in), 100 + from);
  CHECK_EQ(found, 0);
  CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_Barrier(world);
}

// A started synchronous send is not complete before its receive has started.
void synchronous(int bytes) {
  const Bytes out = contents(static_cast<std::size_t>(bytes), 9);
  Bytes in(out.size());
  MPI_Request request;
  int flag = -1;
  MPI_Ssend_init(out.data(), bytes, MPI_BYTE, check::rank, 1, world, &request);
  for (int round = 0; round < 2; ++round) {
    MPI_Start(&request);
    MPI_Probe(check::rank, 1, world, MPI_STATUS_IGNORE);
    for (int i = 0; i < 100; ++i) {
      MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
      if (!CHECK_EQ(flag, 0)) break;
    }
    MPI_Recv(in.data(), bytes, MPI_BYTE, check::rank, 1, world, MPI_STATUS_IGNORE);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(in == out);
  }
  MPI_Request_free(&request);
}

void proc_null() {
  int value = 42;
  MPI_Request receive;
  MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, world, &receive);
  for (const auto& init : {MPI_Send_init, MPI_Ssend_init, MPI_Rsend_init, MPI_Bsend_init}) {
    MPI_Request send;
    CHECK_EQ(init(&value, 1, MPI_INT, MPI_PROC_NULL, 3, world, &send), MPI_SUCCESS);
    std::array<MPI_Request, 2> requests = {receive, send};
    std::array<MPI_Status, 2> statuses;
    check_inactive(requests);
    for (int round = 0; round < 2; ++round) {
      CHECK_EQ(MPI_Startall(2, requests.data()), MPI_SUCCESS);
      CHECK_EQ(MPI_Waitall(2, requests.data(), statuses.data()), MPI_SUCCESS);
      CHECK_NO_PROC(statuses[0]);
      CHECK(requests[0] == receive && requests[1] == send);
    }
    check_inactive(requests);
    CHECK_EQ(MPI_Request_free(&send), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Request_free(&receive), MPI_SUCCESS);
  CHECK_EQ(value, 42);
}

// Starting what is active, null or not persistent is refused, and what is under way goes on.
void wrong_starts() {
  int in = -1, out = 11;
  MPI_Request null = MPI_REQUEST_NULL, persistent, ordinary;
  MPI_Recv_init(&in, 1, MPI_INT, check::rank, 1, world, &persistent);
  CHECK_EQ(class_of(MPI_Start(&null)), MPI_ERR_REQUEST);
  CHECK_EQ(class_of(MPI_Request_free(&null)), MPI_ERR_REQUEST);
  CHECK_EQ(MPI_Start(&persistent), MPI_SUCCESS);
  CHECK_EQ(class_of(MPI_Start(&persistent)), MPI_ERR_REQUEST);
  CHECK_EQ(class_of(MPI_Startall(1, &persistent)), MPI_ERR_REQUEST);
  MPI_Isend(&out, 1, MPI_INT, check::rank, 1, world, &ordinary);
  CHECK_EQ(class_of(MPI_Start(&ordinary)), MPI_ERR_REQUEST);
  CHECK_EQ(MPI_Wait(&ordinary, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(MPI_Wait(&persistent, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(in, 11);
  CHECK_EQ(MPI_Request_free(&persistent), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  inactive();
  for (const int bytes : {0, 40, 8193, 300000}) {
    if (check::size > 1) freed_sends(bytes);
    synchronous(bytes);
  }
  for (const bool persistent : {true, false}) freed_receive(persistent);
  proc_null();
  wrong_starts();
  return program.finish();
}
