// SPDX-License-Identifier: BSD-3-Clause
// A window: the first rank puts into, gets from, adds to and locks the memory of the last one.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "launcher/selftest/ranks/part.hpp"

namespace bowline::selftest {
namespace {

constexpr std::size_t window_bytes = (1 << 20) + 4096;
constexpr std::size_t long_bytes = 1 << 20;
constexpr MPI_Aint counter_place = 1 << 20;  ///< of a number behind the data
constexpr int additions = 50;                ///< of each rank

/// Puts so many bytes, and waits until they are there.
void put(const Bytes& bytes, int target, MPI_Win window) {
  const int count = static_cast<int>(bytes.size());
  MPI_Put(bytes.data(), count, MPI_BYTE, target, 0, count, MPI_BYTE, window);
  MPI_Win_flush(target, window);
}

void get(Bytes& bytes, int target, MPI_Win window) {
  const int count = static_cast<int>(bytes.size());
  MPI_Get(bytes.data(), count, MPI_BYTE, target, 0, count, MPI_BYTE, window);
  MPI_Win_flush(target, window);
}

/// The first rank writes and reads. The last one is in MPI meanwhile, as a path by messages needs it: in the barriers
/// of timed().
void try_data(std::size_t bytes, int target, bool first, MPI_Win window) {
  const Bytes out = filled(bytes, 5);
  Bytes in(bytes);
  const double put_time = timed([&] {
    if (first) put(out, target, window);
  });
  const double get_time = timed([&] {
    if (first) get(in, target, window);
  });
  if (first) check("window", in, 5);
  print_time("put", bytes, put_time);
  print_time("get", bytes, get_time);
  print_rate("put", bytes, static_cast<double>(bytes) / put_time);
  print_rate("get", bytes, static_cast<double>(bytes) / get_time);
}

/// All ranks add to one number, by accumulates and under an exclusive lock.
void try_atomics(const World& self, MPI_Win window) {
  const int target = self.size - 1;
  const std::int64_t one = 1;
  std::int64_t before = 0;
  for (int number = 0; number < additions; ++number) {
    MPI_Fetch_and_op(&one, &before, MPI_INT64_T, target, counter_place, MPI_SUM, window);
    MPI_Win_flush(target, window);
  }
  MPI_Win_unlock_all(window);
  MPI_Barrier(MPI_COMM_WORLD);
  std::int64_t sum = 0;
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
  MPI_Get(&sum, 1, MPI_INT64_T, target, counter_place, 1, MPI_INT64_T, window);
  MPI_Win_flush(target, window);
  MPI_Win_unlock(target, window);
  if (sum != static_cast<std::int64_t>(additions) * self.size)
    note_wrong("window", "additions of all ranks to one number were lost: " + std::to_string(sum) + " of " +
                             std::to_string(additions * self.size) + " are there");
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

void test_window(bool allocated) {
  const World self = world();
  const int target = self.size - 1;
  Bytes own(allocated ? 0 : window_bytes);
  unsigned char* memory = own.data();
  MPI_Win window = MPI_WIN_NULL;
  if (allocated)
    MPI_Win_allocate(window_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, static_cast<void*>(&memory), &window);
  else
    MPI_Win_create(memory, window_bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, self.rank, 0, window);
  std::fill_n(memory, window_bytes, static_cast<unsigned char>(0));
  MPI_Win_unlock(self.rank, window);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, window);
  for (const std::size_t bytes : {std::size_t{8}, long_bytes}) try_data(bytes, target, self.rank == 0, window);
  try_atomics(self, window);
  MPI_Win_free(&window);
}

}  // namespace bowline::selftest
