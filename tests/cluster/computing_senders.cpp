// SPDX-License-Identifier: BSD-3-Clause
// A message arrives although its sender, whose first message to that rank it is, makes no further call of MPI.
//
//   computing_senders FOLDER    the receivers leave files there, which all nodes see
#include <array>
#include <string>
#include <vector>

#include "check.hpp"
#include "step_files.hpp"

namespace {

constexpr int ints = 4000;  // more than a buffer of UCX's TCP has

void send(std::vector<int>& data, int to) {
  MPI_Send(data.data(), 1, MPI_INT, to, 0, MPI_COMM_WORLD);
}

void begin_and_wait(std::vector<int>& data, int to) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(data.data(), 1, MPI_INT, to, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void send_more(std::vector<int>& data, int to) {
  MPI_Send(data.data(), ints, MPI_INT, to, 0, MPI_COMM_WORLD);
}

void send_every_other(std::vector<int>& data, int to) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(ints / 2, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  MPI_Send(data.data(), 1, type, to, 0, MPI_COMM_WORLD);
  MPI_Type_free(&type);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  constexpr std::array ways{send, begin_and_wait, send_more, send_every_other};
  const int half = check::size / 2;
  const int pair = check::rank % half;
  const auto arrived = step_file(argv[1], "arrived." + std::to_string(pair));
  std::vector<int> data(ints, check::rank);
  if (check::rank < half) {
    MPI_Recv(data.data(), ints, MPI_INT, half + pair, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(data.front(), half + pair);
    leave_file(arrived);
  } else {
    ways[static_cast<std::size_t>(pair) % ways.size()](data, pair);
    CHECK(take_file(arrived));
  }
  return program.finish();
}
