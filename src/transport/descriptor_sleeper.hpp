// SPDX-License-Identifier: BSD-3-Clause
// DescriptorSleeper: sleeps until one of several descriptors becomes readable. For processes that receive from networks
// as well as from processes of their node. The latter, and other threads, wake the sleepers through a pipe.
#pragma once

#include <poll.h>

#include <array>
#include <cstddef>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace bowline::transport {

class DescriptorSleeper final : public Sleeper {
 public:
  DescriptorSleeper();
  ~DescriptorSleeper();
  DescriptorSleeper(const DescriptorSleeper&) = delete;
  DescriptorSleeper& operator=(const DescriptorSleeper&) = delete;

  /// The write end of the pipe: a byte written to it wakes the sleeping threads. Other processes can open it as
  /// /proc/PID/fd/N.
  int bell() const noexcept { return ends_[1]; }
  /// From now on announce() and withdraw() also call the same functions of `local`, which tells processes of this node
  /// whether to ring. No sleep is then longer than `longest` milliseconds. Other threads may sleep meanwhile.
  void announce_to(Sleeper& local, int longest);
  /// Ends what watch(Sleeper&) has begun for `local`.
  void forget(Sleeper& local) noexcept;
  /// Adds a descriptor that becomes readable when something arrives after its device's ready() has returned false. A
  /// thread that sleeps already does not watch it.
  void watch(int descriptor);

  void announce() noexcept override;
  void withdraw() noexcept override;
  void sleep(int milliseconds) noexcept override;
  void wake() noexcept override;

 private:
  int at_most(int milliseconds) noexcept;
  std::size_t copy_to(std::span<pollfd> descriptors) noexcept;

  std::array<int, 2> ends_{};  ///< of the pipe: for reading, for writing
  std::mutex mutex_;           ///< guards the following members
  std::vector<Sleeper*> local_;
  int longest_ = std::numeric_limits<int>::max();
  std::vector<pollfd> watched_;
};

}  // namespace bowline::transport
