// SPDX-License-Identifier: BSD-3-Clause
// The same collective again and again, so that its bytes can be counted on the wires. Arguments: bcast or reduce, the
// length in bytes, how often.
#include <cstdlib>
#include <string>
#include <vector>

#include "check.hpp"

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  if (argc != 4) return 2;
  const bool bcast = std::string(argv[1]) == "bcast";
  const int count = std::atoi(argv[2]) / static_cast<int>(sizeof(long));
  const int times = std::atoi(argv[3]);
  const long everyone = static_cast<long>(check::size) * (check::size - 1) / 2;

  std::vector<long> data(static_cast<std::size_t>(count)), sums(static_cast<std::size_t>(count));
  for (int round = 0; round < times; ++round) {
    if (round % 16 == 0) MPI_Barrier(MPI_COMM_WORLD);  // nobody is far ahead of the others
    const long mine = round + check::rank;
    data.assign(data.size(), mine);
    if (bcast) {
      MPI_Bcast(data.data(), count, MPI_LONG, 0, MPI_COMM_WORLD);
      CHECK(data == std::vector<long>(data.size(), round));
    } else {
      MPI_Reduce(data.data(), sums.data(), count, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
      const long expected = static_cast<long>(round) * check::size + everyone;
      if (check::rank == 0) CHECK(sums == std::vector<long>(sums.size(), expected));
    }
  }
  CHECK(true);
  return program.finish();
}
