// SPDX-License-Identifier: BSD-3-Clause
#include "node/host.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <thread>

namespace bowline::node {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "localhost";
  return name.data();
}

int usable_cores() {
  cpu_set_t mask;
  // The fixed-size mask holds 1024 cores; the call fails on larger machines.
  if (sched_getaffinity(0, sizeof mask, &mask) == 0) return std::max(1, CPU_COUNT(&mask));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

}  // namespace bowline::node
