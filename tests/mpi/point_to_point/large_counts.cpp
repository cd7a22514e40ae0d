// SPDX-License-Identifier: BSD-3-Clause
// Collectives with more than 2^31 elements, and with displacements beyond 2^31, by their large-count forms. Needs some
// 2.2 GiB in each rank; where the machine has no 8 GiB left, it says so and ends with status 77.
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr MPI_Count beyond = (MPI_Count{1} << 31) + 4097;

/// Bytes that the system gives as they are touched.
class Bytes {
 public:
  explicit Bytes(MPI_Count size) : bytes_(new std::uint8_t[static_cast<std::size_t>(size)]), size_(size) {}
  std::uint8_t* data() const { return bytes_.get(); }
  std::uint8_t& operator[](MPI_Count i) const { return bytes_[static_cast<std::size_t>(i)]; }
  MPI_Count size() const { return size_; }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  MPI_Count size_;
};

/// Byte i of what a rank has: a pattern that is the same in no two places at a distance of 2^31 or 2^32.
std::uint8_t value(int rank, MPI_Count i) {
  return static_cast<std::uint8_t>(rank * 101 + static_cast<int>(i >> 31) * 17 + static_cast<int>(i % 251));
}

void fill(const Bytes& bytes, MPI_Count begin, MPI_Count count, int rank) {
  for (MPI_Count i = 0; i < count; ++i) bytes[begin + i] = value(rank, i);
}

void expect(const Bytes& bytes, MPI_Count begin, MPI_Count count, const std::function<std::uint8_t(MPI_Count)>& value) {
  for (MPI_Count i = 0; i < count; i += i % 4099 == 0 || i + 5000 > count ? 1 : 7) {
    if (bytes[begin + i] == value(i)) continue;
    check::report(__FILE__, __LINE__, "wrong at byte " + std::to_string(i) + " of " + std::to_string(count));
    break;
  }
  ++check::made;
}
void expect(const Bytes& bytes, MPI_Count begin, MPI_Count count, int rank) {
  expect(bytes, begin, count, [rank](MPI_Count i) { return value(rank, i); });
}

void bcast() {
  const int root = check::size - 1;
  const Bytes data(beyond);
  if (check::rank == root) fill(data, 0, beyond, root);
  CHECK_EQ(MPI_Bcast_c(data.data(), beyond, MPI_BYTE, root, world), MPI_SUCCESS);
  expect(data, 0, beyond, root);
}

/// Few bytes of each rank, which lie far apart.
void displacements() {
  constexpr MPI_Count count = 5000;
  std::vector<MPI_Count> counts;
  std::vector<MPI_Aint> displs;
  for (int rank = 0; rank < check::size; ++rank) {
    counts.push_back(count);
    displs.push_back(rank * (static_cast<MPI_Aint>(beyond) + 17));
  }
  const Bytes mine(count), all(displs.back() + count);
  fill(mine, 0, count, check::rank);
  CHECK_EQ(MPI_Allgatherv_c(mine.data(), count, MPI_BYTE, all.data(), counts.data(), displs.data(), MPI_BYTE, world),
           MPI_SUCCESS);
  for (int rank = 0; rank < check::size; ++rank) expect(all, displs[static_cast<std::size_t>(rank)], count, rank);
  const Bytes scattered(count);
  CHECK_EQ(
      MPI_Scatterv_c(all.data(), counts.data(), displs.data(), MPI_BYTE, scattered.data(), count, MPI_BYTE, 0, world),
      MPI_SUCCESS);
  expect(scattered, 0, count, check::rank);
  const int root = check::size - 1;
  const Bytes gathered(check::rank == root ? displs.back() + count : 0);
  CHECK_EQ(
      MPI_Gatherv_c(mine.data(), count, MPI_BYTE, gathered.data(), counts.data(), displs.data(), MPI_BYTE, root, world),
      MPI_SUCCESS);
  for (int rank = 0; check::rank == root && rank < check::size; ++rank)
    expect(gathered, displs[static_cast<std::size_t>(rank)], count, rank);
}

/// The blocks of all ranks together are longer than 2^31 bytes.
void allgather() {
  const MPI_Count count = beyond / check::size + 1;
  const Bytes all(count * check::size);
  fill(all, check::rank * count, count, check::rank);
  CHECK_EQ(MPI_Allgather_c(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), count, MPI_BYTE, world), MPI_SUCCESS);
  for (int rank = 0; rank < check::size; ++rank) expect(all, rank * count, count, rank);
}

void allreduce() {
  const Bytes data(beyond);
  fill(data, 0, beyond, check::rank);
  CHECK_EQ(MPI_Allreduce_c(MPI_IN_PLACE, data.data(), beyond, MPI_UINT8_T, MPI_SUM, world), MPI_SUCCESS);
  expect(data, 0, beyond, [](MPI_Count i) {
    int sum = 0;
    for (int rank = 0; rank < check::size; ++rank) sum += value(rank, i);
    return static_cast<std::uint8_t>(sum);
  });
}

/// What the machine has left, as rank 0 sees it.
long available_kib() {
  long kib = 0;
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word && word != "MemAvailable:";) continue;
  file >> kib;
  MPI_Bcast(&kib, 1, MPI_LONG, 0, world);
  return kib;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  constexpr long needed_kib = 8L << 20;
  if (const long kib = available_kib(); kib < needed_kib) {
    if (check::rank == 0) std::printf("skipped: %ld KiB of memory are available, %ld are needed\n", kib, needed_kib);
    MPI_Finalize();
    return 77;
  }
  for (void (*part)() : {bcast, displacements, allgather, allreduce}) part();
  return program.finish();
}
