// SPDX-License-Identifier: BSD-3-Clause
// A send to a rank with which nobody has been in contact ends although that rank makes no call of MPI: its progress
// thread accepts the connection.
//
//   computing_receivers FOLDER    the senders leave files there, which all nodes see
#include <string>

#include "check.hpp"
#include "step_files.hpp"

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const int half = check::size / 2;
  const int pair = check::rank % half;
  const auto sent = step_file(argv[1], "sent." + std::to_string(pair));
  int data = check::rank;
  if (check::rank < half) {
    CHECK(take_file(sent));
    MPI_Recv(&data, 1, MPI_INT, half + pair, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(data, half + pair);
  } else {
    MPI_Send(&data, 1, MPI_INT, pair, 0, MPI_COMM_WORLD);
    leave_file(sent);
  }
  return program.finish();
}
