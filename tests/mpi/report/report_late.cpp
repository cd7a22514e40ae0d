// SPDX-License-Identifier: BSD-3-Clause
// report_late SECONDS: rank 0 computes four times as long as the others, which wait for it in MPI_Bcast. For tests of
// reports.
#include <chrono>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

using Clock = std::chrono::steady_clock;

void compute(std::chrono::milliseconds time) {
  for (const auto until = Clock::now() + time; Clock::now() < until;) continue;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  constexpr int length = 1 << 20;
  const std::vector<char> given(length, 'x');
  std::vector<char> got(length);
  const int next = (check::rank + 1) % check::size, before = (check::rank + check::size - 1) % check::size;
  const double end = MPI_Wtime() + std::atof(argv[1]);
  for (int goes_on = 1; goes_on != 0;) {
    compute(check::rank == 0 ? std::chrono::milliseconds(20) : std::chrono::milliseconds(5));
    goes_on = MPI_Wtime() < end ? 1 : 0;
    CHECK_EQ(MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD), MPI_SUCCESS);  // here they wait
    CHECK_EQ(MPI_Sendrecv(given.data(), length, MPI_CHAR, next, 1, got.data(), length, MPI_CHAR, before, 1,
                          MPI_COMM_WORLD, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
  }
  return program.finish();
}
