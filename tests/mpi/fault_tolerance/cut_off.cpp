// SPDX-License-Identifier: BSD-3-Clause
// cut_off RANKS: the node of the last RANKS ranks is cut off from the others, while these wait for it in each way. The
// test says when. On both sides of the cut all that are left shrink their communicator and go on.
//
// Rank 0 prints "ready", and how long after the start of its wait it got the error.
#include <chrono>
#include <cstdlib>
#include <vector>

#include "survivors.hpp"

namespace {

constexpr int longest = 1 << 23;

/// So all ranks have made contact with all others.
void meet_all(MPI_Comm comm) {
  std::vector<int> from(static_cast<std::size_t>(check::size)), to(from.size());
  CHECK_EQ(MPI_Alltoall(from.data(), 1, MPI_INT, to.data(), 1, MPI_INT, comm), MPI_SUCCESS);
  for (int rank = 0; rank < check::size; ++rank) {
    CHECK_EQ(MPI_Sendrecv(nullptr, 0, MPI_INT, rank, 0, nullptr, 0, MPI_INT, rank, 0, comm, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
  }
}

/// Waits for a rank on the other side of the cut: for a message of it, or, with odd ranks, until it takes a long one.
int wait_for(int rank, MPI_Comm comm) {
  std::vector<char> data(longest);
  if (check::rank % 2 == 0) return MPI_Recv(data.data(), 1, MPI_CHAR, rank, 1, comm, MPI_STATUS_IGNORE);
  return MPI_Send(data.data(), longest, MPI_CHAR, rank, 2, comm);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program;
  MPI_Init(&argc, &argv);
  program.learn();
  const int beyond = argc > 1 ? std::atoi(argv[1]) : 1, here = check::size - beyond;
  MPI_Comm comm = survivors::duplicate(), rest = MPI_COMM_NULL;
  meet_all(comm);
  if (check::rank == 0) {
    std::puts("ready");
    std::fflush(stdout);
  }
  const auto began = std::chrono::system_clock::now();
  const int code = wait_for(check::rank < here ? check::size - 1 : 0, comm);
  const auto ended = std::chrono::system_clock::now();
  CHECK_EQ(survivors::class_of(code), MPIX_ERR_PROC_FAILED);
  if (check::rank == 0) {
    std::printf("at %.3f, after %.3f s: %s\n", std::chrono::duration<double>(ended.time_since_epoch()).count(),
                std::chrono::duration<double>(ended - began).count(), survivors::sentence_of(code).c_str());
    std::fflush(stdout);
  }
  CHECK_EQ(MPIX_Comm_shrink(comm, &rest), MPI_SUCCESS);
  int size = 0, sum = 0;
  const int one = 1;
  MPI_Comm_size(rest, &size);
  CHECK_EQ(size, check::rank < here ? here : beyond);
  CHECK_EQ(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, rest), MPI_SUCCESS);
  CHECK_EQ(sum, size);
  MPI_Comm_free(&rest);
  MPI_Comm_free(&comm);
  return program.finish();
}
