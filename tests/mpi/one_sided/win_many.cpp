// SPDX-License-Identifier: BSD-3-Clause
// win_many [WINDOWS]: so many windows (10,000 by default) one after the other, and 500 at once. The memory and the
// descriptors of freed windows return.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// Bytes of memory that this process has mapped, and those of them that have pages.
struct Memory {
  long mapped = 0, resident = 0;
};
Memory memory() {
  Memory found;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%ld %ld", &found.mapped, &found.resident) != 2) CHECK(false);
  if (file != nullptr) std::fclose(file);
  const long page = sysconf(_SC_PAGESIZE);
  return {found.mapped * page, found.resident * page};
}

/// What this process has open, in the kernel's words.
struct Descriptors {
  std::vector<std::string> files;
  int processes = 0;  ///< handles of other processes
};
Descriptors descriptors() {
  Descriptors open;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code closed;
    const std::string target = std::filesystem::read_symlink(entry.path(), closed).string();
    if (target == "anon_inode:[pidfd]") {
      ++open.processes;
    } else {
      open.files.push_back(target);
    }
  }
  return open;
}

/// Checks that as many files are open as before. A long wait leaves a handle of a process: one for its rings, and one
/// for MPI_COMM_WORLD.
void check_descriptors(const Descriptors& before) {
  const Descriptors now = descriptors();
  CHECK(now.processes - before.processes <= 2 * (check::size - 1));
  if (CHECK_EQ(now.files.size(), before.files.size())) return;
  for (const std::string& file : now.files) std::fprintf(stderr, "rank %d: open: %s\n", check::rank, file.c_str());
}

MPI_Win make(int i, long*& base) {
  MPI_Win win = MPI_WIN_NULL;
  static long own[8];
  base = own;
  if (i % 4 == 0) MPI_Win_create(own, sizeof own, sizeof(long), MPI_INFO_NULL, world, &win);
  if (i % 4 == 1) MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win);
  if (i % 4 > 1)
    MPI_Win_allocate((i % 3 == 0 ? 1 << 16 : 8) * sizeof(long), sizeof(long), MPI_INFO_NULL, world, &base, &win);
  return win;
}

/// Uses the window in several ways.
void use(MPI_Win win, int i, const long* base) {
  if (i % 4 == 1) return;
  long value = i;
  MPI_Win_fence(0, win);
  MPI_Put(&value, 1, MPI_LONG, check::right(), 0, 1, MPI_LONG, win);
  MPI_Win_fence(i % 2 == 0 ? 0 : MPI_MODE_NOSUCCEED, win);
  CHECK_EQ(base[0], value);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check::right(), 0, win);
  MPI_Accumulate(&value, 1, MPI_LONG, check::right(), 1, 1, MPI_LONG, MPI_REPLACE, win);
  MPI_Win_unlock(check::right(), win);
}

void one_after_the_other(int from, int windows) {
  for (int i = from; i < from + windows; ++i) {
    long* base = nullptr;
    MPI_Win win = make(i, base);
    if (i % 16 < 4) use(win, i, base);
    if (MPI_Win_free(&win) != MPI_SUCCESS) CHECK(false);
  }
}

void at_once(int windows) {
  std::vector<MPI_Win> all;
  std::vector<long*> bases(static_cast<std::size_t>(windows));
  for (int i = 0; i < windows; ++i) all.push_back(make(i, bases[static_cast<std::size_t>(i)]));
  for (int i = 0; i < windows; ++i) use(all[static_cast<std::size_t>(i)], i, bases[static_cast<std::size_t>(i)]);
  for (int i = 0; i < windows; ++i) {  // in another order than they were made
    const auto place = static_cast<std::size_t>(i % 2 == 0 ? i / 2 : windows - 1 - i / 2);
    if (MPI_Win_free(&all[place]) != MPI_SUCCESS) CHECK(false);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int windows = argc > 1 ? std::atoi(argv[1]) : 10'000;
  check::Program program(argc, argv);
  at_once(500);
  one_after_the_other(0, windows / 4);
  const Memory before = memory();
  const Descriptors open = descriptors();
  one_after_the_other(1, windows - windows / 4);
  at_once(500);
  const Memory after = memory();
  CHECK(after.resident - before.resident < 4 << 20);
  CHECK(after.mapped - before.mapped < 16 << 20);
  check_descriptors(open);
  if (check::failed > 0)
    std::fprintf(stderr, "rank %d: resident %ld -> %ld, mapped %ld -> %ld\n", check::rank, before.resident,
                 after.resident, before.mapped, after.mapped);
  return program.finish();
}
