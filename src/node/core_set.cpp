// SPDX-License-Identifier: BSD-3-Clause
#include "node/core_set.hpp"

#include <sched.h>

#include <fstream>

namespace bowline::node {

Cores cores_of(pid_t process) {
  Cores cores = cores_in("");
  cpu_set_t mask;
  if (sched_getaffinity(process, sizeof mask, &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) hwloc_bitmap_set(cores.get(), static_cast<unsigned>(core));
  }
  return cores;
}

Cores cores_in(const std::string& list) {
  Cores cores{hwloc_bitmap_alloc(), &hwloc_bitmap_free};
  hwloc_bitmap_list_sscanf(cores.get(), list.c_str());
  return cores;
}

std::string first_line(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

}  // namespace bowline::node
