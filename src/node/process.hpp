// SPDX-License-Identifier: BSD-3-Clause
// Another process of this node, and whether it still lives.
#pragma once

#include <sys/types.h>

#include "node/handover.hpp"

namespace bowline::node {

/// Watches one process from when the object is made. It holds a descriptor of that very process (pidfd), so that
/// another one that gets the same number later is not mistaken for it; where the system has no pidfd, or no descriptor
/// is left, only the number is watched. Move-only; not for the process itself.
class PeerProcess {
 public:
  /// `pid` as this process sees it. A process that is gone already is not alive from the start.
  explicit PeerProcess(pid_t pid) noexcept;
  /// The process at the other end of a connection that becomes readable when it has ended (handover.hpp). `pid` may be
  /// 0: this process sees no such process.
  PeerProcess(pid_t pid, Descriptor connection) noexcept;
  PeerProcess(PeerProcess&& other) noexcept;
  PeerProcess& operator=(PeerProcess&& other) noexcept;
  ~PeerProcess();

  pid_t pid() const noexcept { return pid_; }
  /// Whether the process has not ended, as far as can be known: false is certain. A system call that does not block.
  bool alive() const noexcept;

 private:
  pid_t pid_;
  int fd_;  ///< the pidfd, or the connection; -1: only the number is watched
  bool gone_ = false;
};

}  // namespace bowline::node
