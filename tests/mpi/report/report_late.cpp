// SPDX-License-Identifier: BSD-3-Clause
// report_late SECONDS: rank 0 computes four times as long as the others, which wait for it in MPI_Bcast; then each rank
// uses a file. For tests of reports.
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "check.hpp"

namespace {

using Clock = std::chrono::steady_clock;

void compute(std::chrono::milliseconds time) {
  for (const auto until = Clock::now() + time; Clock::now() < until;) continue;
}

/// 100 bytes are written into a file and 60 of them read again.
void use_file() {
  std::array<char, 64> name{"bowline-test-report-XXXXXX"};
  close(mkstemp(name.data()));
  std::array<char, 100> data{};
  MPI_File file;
  CHECK_EQ(MPI_File_open(MPI_COMM_SELF, name.data(), MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &file),
           MPI_SUCCESS);
  CHECK_EQ(MPI_File_write_at(file, 0, data.data(), 100, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(MPI_File_read_at(file, 0, data.data(), 60, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
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
  use_file();
  return program.finish();
}
