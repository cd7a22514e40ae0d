// SPDX-License-Identifier: BSD-3-Clause
// An allreduce straight from the ranks' buffers (the environment says so), of which rank 0 cannot read its part in rank
// 1: every rank gets an error, since none has a result, and the next one is right.
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "check.hpp"

namespace {

constexpr int part = 64 << 10;  // of a rank: a multiple of any page

/// Whether this rank may read the memory of the one to its right.
bool reads_others() {
  struct Place {
    long process;
    const void* address;
  };
  const long word = 1;
  const Place mine{getpid(), &word};
  Place theirs{};
  MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, check::left(), 0, &theirs, sizeof theirs, MPI_BYTE, check::right(), 0,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  long copy = 0;
  const iovec local{&copy, sizeof copy};
  const iovec remote{const_cast<void*>(theirs.address), sizeof copy};
  int reads = process_vm_readv(static_cast<pid_t>(theirs.process), &local, 1, &remote, 1, 0) == sizeof copy ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &reads, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return reads == 1;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (!reads_others()) {
    if (check::rank == 0) std::printf("skipped: the system lets no rank read the memory of another one\n");
    MPI_Finalize();
    return 77;
  }
  const int count = part * check::size;
  const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(int);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED);
  int* const values = static_cast<int*>(memory);
  for (int i = 0; i < count; ++i) values[i] = check::rank + i;
  std::vector<int> sums(static_cast<std::size_t>(count));
  const auto sum = [&] { return MPI_Allreduce(values, sums.data(), count, MPI_INT, MPI_SUM, MPI_COMM_WORLD); };

  const auto protect = [&](int access) {
    if (check::rank == 1) CHECK_EQ(mprotect(memory, part * sizeof(int), access), 0);
  };
  protect(PROT_NONE);
  const int code = sum();
  protect(PROT_READ | PROT_WRITE);
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  CHECK_EQ(error_class, check::rank == 0 ? MPI_ERR_BUFFER : MPI_ERR_OTHER);

  CHECK_EQ(sum(), MPI_SUCCESS);
  long wrong = 0;
  for (int i = 0; i < count; ++i)
    wrong += sums[static_cast<std::size_t>(i)] != check::size * i + check::size * (check::size - 1) / 2 ? 1 : 0;
  CHECK_EQ(wrong, 0);
  munmap(memory, bytes);
  return program.finish();
}
