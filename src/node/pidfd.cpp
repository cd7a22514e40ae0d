// SPDX-License-Identifier: BSD-3-Clause
#include "node/pidfd.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace bowline::node {
namespace {

// The headers of older systems lack these numbers; they are the same on all architectures.
#ifndef SYS_pidfd_open
constexpr long SYS_pidfd_open = 434;
#endif
#ifndef SYS_pidfd_getfd
constexpr long SYS_pidfd_getfd = 438;
#endif

}  // namespace

Descriptor open_process(pid_t process) noexcept {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_open, process, 0)));
}

Descriptor copy_descriptor_of(const Descriptor& process, int number) noexcept {
  return Descriptor(static_cast<int>(syscall(SYS_pidfd_getfd, process.number(), number, 0)));
}

}  // namespace bowline::node
