// SPDX-License-Identifier: BSD-3-Clause
// Carries out a schedule of deeds: which signals go to which ranks now, and which connections break.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "launcher/chaos/chaos_schedule.hpp"

namespace bowline::launcher {

/// A signal for a rank, or the end of its connections with another one.
struct ChaosStep {
  int rank;
  int signal;            ///< 0: its connections with `other` break
  std::string sentence;  ///< what is done; empty: a rank goes on, as was said before
  int other = -1;        ///< the second rank, if connections break
};

/// Knows no processes: the owner sends the signals and breaks the connections. Sentences name the moment of the
/// schedule, so the same seed gives the same sentences.
class Chaos {
 public:
  using Clock = std::chrono::steady_clock;

  Chaos(const ChaosSettings& settings, int ranks);

  /// "mpiexec --chaos 42", which begins the lines.
  const std::string& name() const { return name_; }
  bool has_begun() const { return since_.has_value(); }
  /// Time counts from now on.
  void begin(Clock::time_point now) { since_ = now; }
  /// When take_due() is to be called; none: never, or after begin().
  std::optional<Clock::time_point> next() const;
  /// The steps whose time has come, in their order.
  std::vector<ChaosStep> take_due(Clock::time_point now);

 private:
  ChaosStep take_deed();

  std::string name_;
  ChaosSchedule schedule_;
  std::optional<ChaosDeed> deed_;  ///< the next one
  /// When stopped ranks go on, by rank; 0: they run.
  std::vector<std::chrono::milliseconds> go_on_;
  std::optional<Clock::time_point> since_;
};

}  // namespace bowline::launcher
