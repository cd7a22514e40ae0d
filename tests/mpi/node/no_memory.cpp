// SPDX-License-Identifier: BSD-3-Clause
// For a job in a memory cgroup of its own that is full when the ranks first send to each other: the sends get no ring,
// fail with MPI_ERR_NO_MEM, and the library goes on. Prints how many sends failed.
//
//   no_memory                            the group has memory
//   no_memory USED STAT LIMIT [fatal]    the files that say how many bytes the group uses and for what, and how many it
//                                        may use; whether errors are fatal
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include "check.hpp"
#include "hunger.hpp"

namespace {

/// Waits until all ranks have come here, without a message: nobody can send to one that has ended.
void meet(const char* when) {
  const std::string name = "/bowline-no-memory-" + std::to_string(getppid()) + when;  // that of mpiexec
  const int descriptor = shm_open(name.c_str(), O_CREAT | O_RDWR, 0600);
  CHECK(descriptor >= 0 && ftruncate(descriptor, sizeof(std::atomic<int>)) == 0);
  void* const memory = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  CHECK(memory != MAP_FAILED);
  auto& here = *static_cast<std::atomic<int>*>(memory);  // zero at first
  if (here.fetch_add(1) + 1 == check::size) shm_unlink(name.c_str());
  while (here.load() < check::size) sched_yield();
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  if (argc < 5) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  std::optional<check::Hunger> hunger;
  if (argc >= 4 && check::rank == 0) hunger.emplace(argv[1], argv[2], std::strtoull(argv[3], nullptr, 10));
  meet("-before");
  usleep(200000);  // a process that has just found room may take a small part of it for 100 ms (src/node/memory.hpp)
  int refused = 0;
  for (int peer = 0; peer < check::size; ++peer) {
    if (peer == check::rank) continue;
    const int code = MPI_Send(&refused, 1, MPI_INT, peer, 0, MPI_COMM_WORLD);  // nobody receives it
    if (code == MPI_SUCCESS) continue;
    ++refused;
    int error_class = -1;
    MPI_Error_class(code, &error_class);
    CHECK_EQ(error_class, MPI_ERR_NO_MEM);
  }
  std::printf("rank %d: %d refused\n", check::rank, refused);
  meet("-after");
  hunger.reset();

  int value = 0;
  MPI_Sendrecv(&check::size, 1, MPI_INT, 0, 1, &value, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK_EQ(value, check::size);
  return program.finish();
}
