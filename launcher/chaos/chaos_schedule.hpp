// SPDX-License-Identifier: BSD-3-Clause
// What mpiexec --chaos does, to which rank, and when: a function of the settings and the number of ranks alone.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "launcher/chaos/chaos_settings.hpp"

namespace bowline::launcher {

struct ChaosDeed {
  std::chrono::milliseconds at;  ///< since the beginning
  ChaosKind kind;
  int rank;                            ///< one that the schedule has not killed before, and that it lets run
  std::chrono::milliseconds duration;  ///< of a stop and a delay, else 0
  int other = -1;                      ///< of a link: the rank at its other end, which may be stopped; else -1

  bool operator==(const ChaosDeed&) const = default;
};

/// The deeds in the order of their moments. The same settings and number of ranks give the same deeds on every machine
/// and with every compiler: the numbers come from SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", 2014), and distributions of the standard library are not used. Intervals are distributed
/// exponentially, all else evenly; all times are in whole milliseconds.
class ChaosSchedule {
 public:
  ChaosSchedule(const ChaosSettings& settings, int ranks);

  /// The next deed; nothing if there is nobody and nothing left.
  std::optional<ChaosDeed> next();

 private:
  std::uint64_t random();
  int below(int bound);
  ChaosKind draw_kind();
  int draw_other(int rank);
  std::vector<int> running() const;
  std::chrono::milliseconds draw_duration(ChaosKind kind);

  const double rate_;
  std::vector<ChaosKind> kinds_;                  ///< that can still be done
  std::vector<int> left_;                         ///< the ranks that have not been killed
  std::vector<std::chrono::milliseconds> go_on_;  ///< when ranks run again, by rank
  int kills_;                                     ///< that may follow
  std::uint64_t state_;
  std::chrono::milliseconds at_;
};

}  // namespace bowline::launcher
