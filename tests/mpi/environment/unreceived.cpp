// SPDX-License-Identifier: BSD-3-Clause
// unreceived WHAT: calls MPI_Finalize with messages that nobody has received.
//
//   self BYTES    every rank has sent itself one
//   ring BYTES    every rank has sent its right neighbour one
//   alone BYTES   rank 0 has sent itself one; the others receive from rank 0
//   late BYTES    rank 0 has sent rank 1 one, which receives it seven seconds later
#include <mpi.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, size;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string what = argc > 1 ? argv[1] : "";
  std::vector<char> data(argc > 2 ? std::strtoul(argv[2], nullptr, 0) : 1);
  const int bytes = static_cast<int>(data.size());
  MPI_Request request = MPI_REQUEST_NULL;
  const auto send = [&](int to) { MPI_Issend(data.data(), bytes, MPI_CHAR, to, 42, MPI_COMM_WORLD, &request); };
  if (what == "self") send(rank);
  if (what == "ring") send((rank + 1) % size);
  if (what == "alone" && rank == 0) {
    for (int peer = 1; peer < size; ++peer) {
      MPI_Recv(data.data(), 1, MPI_CHAR, peer, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    send(rank);
  }
  if (what == "alone" && rank != 0) {
    MPI_Send(data.data(), 1, MPI_CHAR, 0, 6, MPI_COMM_WORLD);
    MPI_Recv(data.data(), 1, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (what == "late" && rank == 0) {
    send(1);
    MPI_Request_free(&request);
  }
  if (what == "late" && rank == 1) {
    sleep(7);
    MPI_Recv(data.data(), bytes, MPI_CHAR, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Finalize();
  return EXIT_SUCCESS;
}
