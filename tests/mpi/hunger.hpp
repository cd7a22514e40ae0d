// SPDX-License-Identifier: BSD-3-Clause
// Hunger: takes the memory of the cgroup that a test runs in.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

namespace check {

/// What the group uses, in bytes, without pages of files, which the kernel gives up for others. The files say how many
/// bytes the group uses and for what.
inline std::size_t used_bytes(const char* used, const char* stat) {
  std::size_t value = 0;
  std::ifstream(used) >> value;
  std::ifstream lines(stat);
  std::size_t bytes = 0;
  for (std::string key; lines >> key >> bytes;) {
    if (key == "inactive_file" || key == "active_file") value -= std::min(value, bytes);
  }
  return value;
}

/// Takes memory until less is left than the library keeps for other uses. Gives it back at its end.
class Hunger {
 public:
  Hunger(const char* used, const char* stat, std::size_t limit) {
    while (used_bytes(used, stat) + left < limit) {
      void* const piece =
          mmap(nullptr, step, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
      if (piece == MAP_FAILED) break;
      pieces_.push_back(piece);
    }
  }
  Hunger(const Hunger&) = delete;
  Hunger& operator=(const Hunger&) = delete;
  ~Hunger() {
    for (void* piece : pieces_) munmap(piece, step);
  }

 private:
  static constexpr std::size_t step = 64 << 10, left = 1000 << 10;
  std::vector<void*> pieces_;
};

}  // namespace check
