// SPDX-License-Identifier: BSD-3-Clause
// CpuSampler: interrupts a thread in equal intervals of its processor time.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace bowline {

/// Uses the signal SIGPROF and a timer of the kernel that runs only while the thread has a core. So a thread that
/// sleeps in a system call is not interrupted, and nothing is counted for it.
class CpuSampler {
 public:
  /// Called in a signal handler, for so much processor time: it may not allocate, nor take a lock.
  using Take = void (*)(std::uint64_t nanoseconds) noexcept;

  /// Interrupts the calling thread from now on. Returns why that is not possible, in words; empty: it is done. Call
  /// once.
  static std::string start(std::chrono::nanoseconds interval, Take take);
  /// Ends it, in any thread.
  static void stop() noexcept;
};

}  // namespace bowline
