// SPDX-License-Identifier: BSD-3-Clause
// Ring: accesses to files that the kernel executes by itself (io_uring). There is one ring in a process, made at its
// first use, and a thread that waits for its completions. Many systems forbid io_uring (seccomp, sysctl
// kernel.io_uring_disabled); then nothing is available here.
#pragma once

namespace bowline::mpiio {

class RunWork;

class Ring {
 public:
  /// Whether the kernel allows io_uring and the tunable io_uring does not forbid it. Any thread may call these
  /// functions.
  static bool available() noexcept;
  /// Hands an access to the kernel. Returns false if the access has not begun.
  static bool start(RunWork& work) noexcept;
  /// Ends the thread and the ring. No access may be under way.
  static void end() noexcept;
};

}  // namespace bowline::mpiio
