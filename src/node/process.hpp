// SPDX-License-Identifier: BSD-3-Clause
// PeerProcess: whether another process of this node is alive.
#pragma once

#include <sys/types.h>

#include "node/handover.hpp"

namespace bowline::node {

/// Watches one process from the construction of the object on. The object holds a pidfd, so a later process with the
/// same pid is not mistaken for it. If the system has no pidfd, or no descriptor is left, it watches only the pid.
/// Move-only; not for the own process.
class PeerProcess {
 public:
  /// `pid` as seen by this process. If the process has already ended, alive() is false from the start.
  explicit PeerProcess(pid_t pid) noexcept;
  /// The process at the other end of a connection that becomes readable when it has ended (handover.hpp). `pid` may be
  /// 0: not visible here.
  PeerProcess(pid_t pid, Descriptor connection) noexcept;
  PeerProcess(PeerProcess&& other) noexcept;
  PeerProcess& operator=(PeerProcess&& other) noexcept;
  ~PeerProcess();

  pid_t pid() const noexcept { return pid_; }
  /// Whether the process is alive, as far as known; false is certain. Makes one system call that does not block.
  bool alive() const noexcept;

 private:
  pid_t pid_;
  int fd_;  ///< the pidfd, or the connection; -1: only the pid is watched
  bool gone_ = false;
};

}  // namespace bowline::node
