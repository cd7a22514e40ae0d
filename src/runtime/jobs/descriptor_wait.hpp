// SPDX-License-Identifier: BSD-3-Clause
// DescriptorWait: a call waits for something that comes from outside MPI, through a descriptor, while this process goes
// on to make progress on its messages.
#pragma once

#include <poll.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "proto/lanes.hpp"
#include "proto/long_wait.hpp"

namespace bowline::runtime {

/// One wait of one thread, which holds no lane's lock.
class DescriptorWait {
 public:
  /// `words`: what the call waits for; they follow the name of the MPI function: "for a process that connects".
  /// `seconds`: the longest wait; none: without a limit.
  DescriptorWait(proto::Lanes& lanes, std::string words, std::optional<double> seconds);

  /// Makes progress, and sleeps if there was none to make. Returns after a few milliseconds at the latest, and at once
  /// if one of the descriptors has an event.
  void rest(std::span<pollfd> descriptors);
  void rest(int descriptor, short events) {
    pollfd one{.fd = descriptor, .events = events, .revents = 0};
    rest({&one, 1});
  }
  /// Whether the wait has lasted as long as it may.
  bool is_over() const noexcept { return deadline_.has_value() && Clock::now() >= *deadline_; }
  /// The limit in seconds; 0 if there is none.
  double limit() const noexcept { return seconds_.value_or(0); }

 private:
  using Clock = std::chrono::steady_clock;

  static proto::WaitDescription describe(proto::Engine&, const void* wait);

  proto::Lanes& lanes_;
  std::string words_;
  std::optional<double> seconds_;
  Clock::time_point idle_since_ = Clock::now();
  std::optional<Clock::time_point> deadline_;
  proto::LongWait shown_;
};

}  // namespace bowline::runtime
