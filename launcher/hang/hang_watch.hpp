// SPDX-License-Identifier: BSD-3-Clause
// Judges whether the ranks of a job wait for each other for ever.
//
// A rank that waits looks again and again whether its wait is over, and writes what it waits for each time. A deadlock
// is proven by two looks at all ranks: at the first one, every rank waits, for other ranks only; at the second one,
// every rank has written the same at least twice since, so it has looked at its messages after the first look, and has
// found none. Whatever a rank had sent before the first look would have been found, and since then no rank has had a
// reason to send. Messages of a network may be under way for longer: of these, the ranks must have received at the
// first look as many as they have sent at the second one. (Mattern, "Algorithms for distributed termination detection",
// 1987, four counter method; the events of a wait stand for the messages that arrive at once.)
//
// Ranks that something else may wake, such as a file, an access to memory or another thread of the program, say so
// (WaitTargets::Kind::outside), and then nothing is proven. Ranks of jobs without mpiexec judge by themselves in the
// same way (runtime/hang/hang_survey.hpp).
#pragma once
#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "launcher/hang/wait_report.hpp"

namespace bowline::launcher {

class HangWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `after`: how long all ranks must have waited.
  explicit HangWatch(Clock::duration after) noexcept : after_(after) {}

  /// Whether the ranks, of which at least one must not have ended, are proven to wait for ever. To be called from time
  /// to time, with all ranks of the job.
  bool look(std::span<const RankView> ranks, Clock::time_point now);

 private:
  /// What a rank said at the first look.
  struct Seen {
    bool has_ended = false;
    std::int64_t since = 0;
    WaitActivity activity{};
    std::uint32_t version = 0;
  };

  static bool no_message_travels(std::span<const Seen> ranks);
  std::vector<Seen> first_look(std::span<const RankView> ranks, Clock::time_point now) const;

  Clock::duration after_;
  std::vector<Seen> seen_;  ///< empty: the next look is a first one
};

}  // namespace bowline::launcher
