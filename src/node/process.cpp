// SPDX-License-Identifier: BSD-3-Clause
#include "node/process.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "node/pidfd.hpp"

namespace bowline::node {

PeerProcess::PeerProcess(pid_t pid) noexcept : pid_(pid), fd_(open_process(pid).release()) {
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
