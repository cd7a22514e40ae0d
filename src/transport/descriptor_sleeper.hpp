// SPDX-License-Identifier: BSD-3-Clause
// DescriptorSleeper: sleeping until any of several descriptors becomes readable, for processes that hear from networks
// as well as from processes of their node. The latter, and other threads, ring through a pipe.
#pragma once

#include <poll.h>

#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::transport {

class DescriptorSleeper final : public Sleeper {
 public:
  DescriptorSleeper();
  ~DescriptorSleeper();
  DescriptorSleeper(const DescriptorSleeper&) = delete;
  DescriptorSleeper& operator=(const DescriptorSleeper&) = delete;

  /// Where a byte wakes whoever sleeps. It can be opened by other processes as /proc/PID/fd/N.
  int bell() const noexcept { return ends_[1]; }
  /// What tells processes of this node that they have to ring: its announce() and withdraw() are used. No sleep is
  /// longer than this many milliseconds then.
  void announce_to(Sleeper& local, int longest) noexcept {
    local_ = &local;
    longest_ = longest;
  }
  /// Becomes readable when something arrives, once its device has said that nothing is ready. Before any sleep.
  void watch(int descriptor) { watched_.push_back({descriptor, POLLIN, 0}); }

  void announce() noexcept override;
  void withdraw() noexcept override;
  void sleep(int milliseconds) noexcept override;
  void wake() noexcept override;

 private:
  std::array<int, 2> ends_{};  ///< of the pipe: for reading, for writing
  Sleeper* local_ = nullptr;
  int longest_ = std::numeric_limits<int>::max();
  std::vector<pollfd> watched_;
};

}  // namespace bowline::transport
