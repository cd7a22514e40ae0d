// SPDX-License-Identifier: BSD-3-Clause
// A send to a rank with which nobody has been in contact ends although that rank makes no call of MPI: its progress
// thread accepts the connection.
//
//   computing_receivers FOLDER         the second half of the ranks sends to the first; they leave files there, which
//                                      all nodes see
//   computing_receivers FOLDER HOST    all ranks send, each to a process of its own that they spawn on this node
#include <string>

#include "check.hpp"
#include "step_files.hpp"

namespace {

void send(MPI_Comm comm, int to, const std::string& files) {
  CHECK(take_file(files + ".computes"));
  MPI_Send(&to, 1, MPI_INT, to, 0, comm);
  leave_file(files + ".sent");
}

void compute_and_receive(MPI_Comm comm, int from, int own, const std::string& files) {
  leave_file(files + ".computes");
  CHECK(take_file(files + ".sent"));
  int got = -1;
  MPI_Recv(&got, 1, MPI_INT, from, 0, comm, MPI_STATUS_IGNORE);
  CHECK_EQ(got, own);
}

MPI_Comm spawn(const char* program, std::string files, const char* host) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "host", host);
  char* arguments[] = {files.data(), nullptr};
  MPI_Comm children = MPI_COMM_NULL;
  MPI_Comm_spawn(program, arguments, check::size, info, 0, MPI_COMM_WORLD, &children, MPI_ERRCODES_IGNORE);
  MPI_Info_free(&info);
  return children;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm other = MPI_COMM_NULL;
  MPI_Comm_get_parent(&other);
  const bool spawned = other != MPI_COMM_NULL;
  const std::string files = spawned ? argv[1] : step_file(argv[1], "pair").string();
  if (argc > 2) other = spawn(argv[0], files, argv[2]);
  if (other != MPI_COMM_NULL) {
    const std::string own = files + "." + std::to_string(check::rank);
    spawned ? compute_and_receive(other, check::rank, check::rank, own) : send(other, check::rank, own);
    MPI_Comm_disconnect(&other);
  } else {
    const int half = check::size / 2;
    const std::string own = files + "." + std::to_string(check::rank % half);
    if (check::rank < half) {
      compute_and_receive(MPI_COMM_WORLD, half + check::rank, check::rank, own);
    } else {
      send(MPI_COMM_WORLD, check::rank - half, own);
    }
  }
  return program.finish();
}
