// SPDX-License-Identifier: BSD-3-Clause
// all_talk [quiet]: all ranks talk to rank 0 and hear from it, then all talk to all. With "quiet" none talks.
#include <string_view>
#include <vector>

#include "check.hpp"

namespace {

void talk_to_first() {
  int said = check::rank;
  if (check::rank != 0) {
    MPI_Send(&said, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Recv(&said, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(said, check::rank);
    return;
  }
  for (int peer = 1; peer < check::size; ++peer) {
    MPI_Recv(&said, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK_EQ(said, peer);
  }
  for (int peer = 1; peer < check::size; ++peer) MPI_Send(&peer, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);
}

void talk_to_all() {
  std::vector<int> said(static_cast<std::size_t>(check::size), -1);
  std::vector<MPI_Request> requests;
  for (int peer = 0; peer < check::size; ++peer) {
    MPI_Irecv(&said[static_cast<std::size_t>(peer)], 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests.emplace_back());
    MPI_Isend(&check::rank, 1, MPI_INT, peer, 1, MPI_COMM_WORLD, &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  for (int peer = 0; peer < check::size; ++peer) CHECK_EQ(said[static_cast<std::size_t>(peer)], peer);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  CHECK(check::size > 0);
  if (argc > 1 && std::string_view(argv[1]) == "quiet") return program.finish();
  talk_to_first();
  talk_to_all();
  return program.finish();
}
