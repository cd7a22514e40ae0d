// SPDX-License-Identifier: BSD-3-Clause
// Requests that fail in the completion calls: MPI_ERR_IN_STATUS and what each status says, MPI_ERR_PENDING only where
// the standard allows it, and that the others of the list are not lost.
//
// Every rank sends to its pair: a message that fits, one that is too long for its receive, and one that is sent later.
#include <array>

#include "status.hpp"

namespace {

using check::at;
using check::class_of;

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int room = 5;
constexpr int n = 4;  // 0 fits, 1 is too long, 2 is null, 3 fits and is large on odd rounds
constexpr int most = 60000;
int peer;

std::array<int, most> out{}, in[n];
using Requests = std::array<MPI_Request, n>;

void post(Requests& requests, int last) {
  for (auto& buffer : in) buffer.fill(-1);
  requests.fill(MPI_REQUEST_NULL);
  MPI_Irecv(in[0].data(), room, MPI_INT, peer, 0, world, &requests[0]);
  MPI_Irecv(in[1].data(), room, MPI_INT, peer, 1, world, &requests[1]);
  MPI_Irecv(in[3].data(), last, MPI_INT, peer, 3, world, &requests[3]);
}

// Sends the messages of a round; they have all been received when it returns on both sides.
class Sends {
 public:
  Sends(int too_long, int last) {
    out.fill(last);
    MPI_Isend(out.data(), room, MPI_INT, peer, 0, world, &requests_[0]);
    MPI_Isend(out.data(), too_long, MPI_INT, peer, 1, world, &requests_[1]);
    MPI_Isend(out.data(), last, MPI_INT, peer, 3, world, &requests_[2]);
  }
  void finish() { CHECK_EQ(MPI_Waitall(3, requests_.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS); }

 private:
  std::array<MPI_Request, 3> requests_;
};

void check_data(int last) {
  for (int i = 0; i < room; ++i) CHECK_EQ(in[0][at(i)], last);
  CHECK_EQ(in[0][room], -1);
  CHECK_EQ(in[1][room], -1);  // the long one has not left its place
  CHECK_EQ(in[3][0], last);
  CHECK_EQ(in[3][at(last - 1)], last);
}

// After a call that said MPI_ERR_IN_STATUS for the whole list.
void check_all(Requests& requests, std::array<MPI_Status, n>& statuses) {
  CHECK_EQ(class_of(statuses[1].MPI_ERROR), MPI_ERR_TRUNCATE);
  CHECK(requests[1] == MPI_REQUEST_NULL);
  CHECK_EQ(statuses[2].MPI_ERROR, MPI_SUCCESS);
  for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
    const int error = class_of(statuses[i].MPI_ERROR);
    CHECK(error == MPI_SUCCESS || error == MPI_ERR_PENDING);
    CHECK_EQ(requests[i] == MPI_REQUEST_NULL, error == MPI_SUCCESS);
    if (error == MPI_ERR_PENDING) CHECK_EQ(MPI_Wait(&requests[i], &statuses[i]), MPI_SUCCESS);
    CHECK_EQ(statuses[i].MPI_SOURCE, peer);
    CHECK_EQ(statuses[i].MPI_TAG, static_cast<int>(i));
  }
}

void all(bool wait, bool ignore, int too_long, int last) {
  Requests requests;
  std::array<MPI_Status, n> statuses;
  statuses.fill(check::spoilt());
  post(requests, last);
  MPI_Barrier(world);
  Sends sends(too_long, last);
  MPI_Status* const where = ignore ? MPI_STATUSES_IGNORE : statuses.data();
  int code = MPI_SUCCESS;
  if (wait) {
    code = MPI_Waitall(n, requests.data(), where);
  } else {
    for (int flag = 0; !flag && code == MPI_SUCCESS;) code = MPI_Testall(n, requests.data(), &flag, where);
  }
  CHECK_EQ(class_of(code), MPI_ERR_IN_STATUS);
  if (!ignore) check_all(requests, statuses);
  CHECK_EQ(MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  sends.finish();
  check_data(last);
}

void some(bool wait, bool ignore, int too_long, int last) {
  Requests requests;
  post(requests, last);
  MPI_Barrier(world);
  Sends sends(too_long, last);
  int failures = 0, taken = 0;
  while (taken < 3) {
    std::array<MPI_Status, n> statuses;
    std::array<int, n> indices;
    statuses.fill(check::spoilt());
    MPI_Status* const where = ignore ? MPI_STATUSES_IGNORE : statuses.data();
    int count = 0;
    const int code = wait ? MPI_Waitsome(n, requests.data(), &count, indices.data(), where)
                          : MPI_Testsome(n, requests.data(), &count, indices.data(), where);
    if (!CHECK(count >= 0 && count <= 3 - taken)) break;
    bool with_failure = false;
    for (int k = 0; k < count; ++k) {
      const bool failed = indices[at(k)] == 1;
      with_failure = with_failure || failed;
      if (ignore || class_of(code) != MPI_ERR_IN_STATUS) continue;
      CHECK_EQ(class_of(statuses[at(k)].MPI_ERROR), failed ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    }
    CHECK_EQ(class_of(code), with_failure ? MPI_ERR_IN_STATUS : MPI_SUCCESS);
    // MPI_ERROR is written with MPI_ERR_IN_STATUS only.
    if (!ignore && !with_failure && count > 0) CHECK_EQ(statuses[0].MPI_ERROR, check::untouched);
    failures += with_failure ? 1 : 0;
    taken += count;
  }
  CHECK_EQ(failures, 1);
  for (const MPI_Request& request : requests) CHECK(request == MPI_REQUEST_NULL);
  sends.finish();
  check_data(last);
}

// Calls for one request return the error itself, and the failed request is gone.
void any(bool wait, bool ignore, int too_long, int last) {
  Requests requests;
  post(requests, last);
  MPI_Barrier(world);
  Sends sends(too_long, last);
  for (int i = 0; i < 3; ++i) {
    MPI_Status status = check::spoilt();
    MPI_Status* const where = ignore ? MPI_STATUS_IGNORE : &status;
    int index = -1, code = MPI_SUCCESS;
    if (wait) {
      code = MPI_Waitany(n, requests.data(), &index, where);
    } else {
      for (int flag = 0; !flag && code == MPI_SUCCESS;) code = MPI_Testany(n, requests.data(), &index, &flag, where);
    }
    CHECK_EQ(class_of(code), index == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    if (!CHECK(index >= 0 && index < n)) break;
    CHECK(requests[at(index)] == MPI_REQUEST_NULL);
    if (!ignore) CHECK_EQ(status.MPI_TAG, index);
  }
  for (const MPI_Request& request : requests) CHECK(request == MPI_REQUEST_NULL);
  CHECK_EQ(MPI_Waitall(n, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  sends.finish();
  check_data(last);
}

// A persistent receive that failed is inactive, not gone, and receives again.
void persistent(int too_long) {
  MPI_Request request;
  MPI_Recv_init(in[0].data(), room, MPI_INT, peer, 8, world, &request);
  for (const int ints : {room, too_long, room - 1, too_long, room}) {
    const MPI_Request before = request;
    MPI_Status status;
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    MPI_Request send;
    MPI_Isend(out.data(), ints, MPI_INT, peer, 8, world, &send);
    CHECK_EQ(class_of(MPI_Wait(&request, &status)), ints > room ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    CHECK(request == before);
    if (ints <= room) CHECK(check::is_message(status, peer, 8, ints));
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);  // inactive
    CHECK(check::is_empty(status));
    CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
  CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int pair = check::rank ^ 1;
  peer = pair < check::size ? pair : check::rank;
  for (const int too_long : {room + 1, most}) {
    for (const int last : {room, most}) {
      for (const bool wait : {true, false}) {
        for (const bool ignore : {false, true}) {
          all(wait, ignore, too_long, last);
          some(wait, ignore, too_long, last);
          any(wait, ignore, too_long, last);
        }
      }
    }
    persistent(too_long);
  }
  return program.finish();
}
