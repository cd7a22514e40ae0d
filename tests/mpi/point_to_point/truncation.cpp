// SPDX-License-Identifier: BSD-3-Clause
// A message that is longer than its receive: MPI_ERR_TRUNCATE, nothing written behind the buffer, and life goes on.
#include <array>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int room = 5;

int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

// Each rank writes to itself or to its pair; `expected`: the receive is there before the message.
void too_long(int ints, int peer, bool expected) {
  const std::vector<int> out(static_cast<std::size_t>(ints), 3);
  std::vector<int> in(static_cast<std::size_t>(ints) + room, -1);
  MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
  MPI_Status status;
  if (expected) MPI_Irecv(in.data(), room, MPI_INT, peer, 1, world, &receive);
  MPI_Barrier(world);
  MPI_Isend(out.data(), ints, MPI_INT, peer, 1, world, &send);
  int code;
  if (expected) {
    code = MPI_Wait(&receive, &status);
  } else {
    MPI_Probe(peer, 1, world, &status);
    code = MPI_Recv(in.data(), room, MPI_INT, peer, 1, world, &status);
  }
  CHECK_EQ(class_of(code), MPI_ERR_TRUNCATE);
  for (std::size_t i = room; i < in.size(); ++i) {
    if (in[i] != -1) return check::report(__FILE__, __LINE__, "written behind the buffer at int " + std::to_string(i));
  }
  CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);

  // The next message is not touched by what happened to this one.
  int value = -1;
  CHECK_EQ(MPI_Sendrecv(&ints, 1, MPI_INT, peer, 2, &value, 1, MPI_INT, peer, 2, world, &status), MPI_SUCCESS);
  CHECK_EQ(value, ints);
}

void in_status(int peer) {
  std::array<int, 2 * room> out{}, in{};
  std::array<MPI_Request, 3> requests;
  std::array<MPI_Status, 3> statuses;
  MPI_Irecv(in.data(), room, MPI_INT, peer, 1, world, &requests[0]);
  MPI_Irecv(in.data() + room, room, MPI_INT, peer, 2, world, &requests[1]);
  MPI_Barrier(world);
  MPI_Send(out.data(), room, MPI_INT, peer, 2, world);
  MPI_Isend(out.data(), room + 1, MPI_INT, peer, 1, world, &requests[2]);
  CHECK_EQ(class_of(MPI_Waitall(3, requests.data(), statuses.data())), MPI_ERR_IN_STATUS);
  CHECK_EQ(class_of(statuses[0].MPI_ERROR), MPI_ERR_TRUNCATE);
  for (const std::size_t other : {1, 2}) {
    const int error = statuses[other].MPI_ERROR;
    CHECK(error == MPI_SUCCESS || error == MPI_ERR_PENDING);
  }
  MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  const int pair = check::rank ^ 1;
  const int peer = pair < check::size ? pair : check::rank;
  for (const int ints : {room + 1, 20, 500, 3000, 20000, 600000}) {
    for (const bool expected : {true, false}) too_long(ints, peer, expected);
  }
  in_status(peer);
  return program.finish();
}
