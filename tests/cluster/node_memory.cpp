// SPDX-License-Identifier: BSD-3-Clause
// In a job of several nodes, the ranks of a node share memory in collectives: in those of a communicator that is on one
// node, and in their part of those of the world.
#include <fstream>
#include <string>

#include "check.hpp"

namespace {

/// How many communicators' memory this process has mapped.
int mapped() {
  std::ifstream maps("/proc/self/maps");
  int found = 0;
  for (std::string line; std::getline(maps, line);) found += line.find("memfd:bowline-slots") != std::string::npos;
  return found;
}

void add_up(MPI_Comm comm) {
  int members = 0, sum = 0;
  const int one = 1;
  MPI_Comm_size(comm, &members);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK_EQ(sum, members);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm node = MPI_COMM_NULL, across = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int here = 0, place = 0;
  MPI_Comm_size(node, &here);
  MPI_Comm_rank(node, &place);
  MPI_Comm_split(MPI_COMM_WORLD, place, 0, &across);
  CHECK(here < check::size);
  const int together = here > 1 ? 1 : 0;

  const int before = mapped();
  add_up(node);
  CHECK_EQ(mapped() - before, together);
  add_up(across);  // one rank of each node
  CHECK_EQ(mapped() - before, together);
  add_up(MPI_COMM_WORLD);
  add_up(MPI_COMM_WORLD);
  CHECK_EQ(mapped(), 2 * together);

  MPI_Comm_free(&across);
  MPI_Comm_free(&node);
  return program.finish();
}
