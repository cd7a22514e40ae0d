// SPDX-License-Identifier: BSD-3-Clause
#include "node/process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace bowline::node {
namespace {

// The headers of older systems lack this number; it is the same on all architectures.
#ifndef SYS_pidfd_open
constexpr long SYS_pidfd_open = 434;
#endif

/// The descriptor is closed on exec. -1 with errno set on failure.
int open_pidfd(pid_t pid) noexcept {
  return static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
}

}  // namespace

PeerProcess::PeerProcess(pid_t pid) noexcept : pid_(pid), fd_(open_pidfd(pid)) {
  gone_ = fd_ < 0 && errno == ESRCH;
}

PeerProcess::PeerProcess(pid_t pid, Descriptor connection) noexcept : pid_(pid), fd_(connection.release()) {}

PeerProcess::PeerProcess(PeerProcess&& other) noexcept
    : pid_(other.pid_), fd_(std::exchange(other.fd_, -1)), gone_(other.gone_) {}

PeerProcess& PeerProcess::operator=(PeerProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(fd_, other.fd_);
  std::swap(gone_, other.gone_);
  return *this;
}

PeerProcess::~PeerProcess() {
  if (fd_ >= 0) close(fd_);
}

bool PeerProcess::alive() const noexcept {
  if (gone_) return false;
  if (fd_ >= 0) {
    // The pidfd is readable once the process has ended, even before its parent waits for it.
    pollfd ended{.fd = fd_, .events = POLLIN, .revents = 0};
    return poll(&ended, 1, 0) != 1 || (ended.revents & (POLLIN | POLLHUP)) == 0;
  }
  return kill(pid_, 0) == 0 || errno != ESRCH;
}

}  // namespace bowline::node
