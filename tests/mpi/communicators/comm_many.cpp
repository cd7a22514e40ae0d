// SPDX-License-Identifier: BSD-3-Clause
// Many communicators: made and freed again and again, alive at the same time, and more than there may be. Arguments:
// how many may be alive at once (0: this is not tried).
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

void cycles() {
  for (int i = 0; i < 10000; ++i) {
    MPI_Comm comm;
    if (MPI_Comm_dup(world, &comm) != MPI_SUCCESS || MPI_Comm_free(&comm) != MPI_SUCCESS) {
      return check::report(__FILE__, __LINE__, "cycle " + std::to_string(i) + " failed");
    }
  }
  CHECK(true);
}

void alive_at_once() {
  std::vector<MPI_Comm> all(2000);
  for (MPI_Comm& comm : all) {
    if (MPI_Comm_dup(world, &comm) != MPI_SUCCESS) return check::report(__FILE__, __LINE__, "no 2000 communicators");
  }
  // Messages of all of them at once, sent in the opposite order of their receives.
  const int next = (check::rank + 1) % check::size, previous = (check::rank + check::size - 1) % check::size;
  std::vector<int> out(all.size()), in(all.size(), -1);
  std::vector<MPI_Request> requests(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    MPI_Irecv(&in[i], 1, MPI_INT, previous, 0, all[i], &requests[i]);
  }
  for (std::size_t i = all.size(); i-- > 0;) {
    out[i] = static_cast<int>(i);
    MPI_Send(&out[i], 1, MPI_INT, next, 0, all[i]);
  }
  CHECK_EQ(MPI_Waitall(static_cast<int>(all.size()), requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  CHECK(in == out);
  for (MPI_Comm& comm : all) MPI_Comm_free(&comm);
}

void exhaustion(int limit) {
  std::vector<MPI_Comm> all(static_cast<std::size_t>(limit));
  for (int round = 0; round < 2; ++round) {
    for (MPI_Comm& comm : all) CHECK_EQ(MPI_Comm_dup(world, &comm), MPI_SUCCESS);
    MPI_Comm more = MPI_COMM_WORLD;
    CHECK_EQ(MPI_Comm_dup(world, &more), MPI_ERR_OTHER);
    CHECK(more == MPI_COMM_NULL);
    for (MPI_Comm& comm : all) CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);  // then there is room again
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  const int limit = argc > 1 ? std::stoi(argv[1]) : 0;
  if (limit > 0) {
    exhaustion(limit);
  } else {
    cycles();
    alive_at_once();
  }
  return program.finish();
}
