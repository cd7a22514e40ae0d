// SPDX-License-Identifier: BSD-3-Clause
#include "node/affinity.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace bowline::node {

bool affinity_is_known() noexcept {
  std::array<unsigned long, 128> mask;
  return syscall(SYS_sched_getaffinity, 0, sizeof mask, mask.data()) >= 0 || errno == EINVAL;  // a larger machine
}

std::string machine_without_affinity() {
  return fmt::format("core:{} pu:1", std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
}

}  // namespace bowline::node
