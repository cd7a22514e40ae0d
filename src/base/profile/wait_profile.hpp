// SPDX-License-Identifier: BSD-3-Clause
// WaitProfile: how long the calls of this process have waited for other ranks, and where.
#pragma once

#include <cstdint>
#include <vector>

#include "base/atomic.hpp"
#include "base/profile/call_sites.hpp"

namespace bowline {

/// What a wait has done with its time, in nanoseconds.
struct WaitTimes {
  std::uint64_t idle = 0;    ///< nothing happened: another rank is late
  std::uint64_t moving = 0;  ///< data moved, or were on their way
};

/// To find out where a call was made takes some microseconds, so only long waits do it by themselves. The time of the
/// others gathers, and the next wait after a millisecond of it counts for all of them: of many waits each place gets
/// its share.
class WaitProfile {
 public:
  /// `sites`: gets the waits.
  explicit WaitProfile(CallSites& sites) noexcept : sites_(sites) {}

  /// The profile that waits of this process tell; nullptr: none.
  static WaitProfile* in_use() noexcept { return used.load(std::memory_order_acquire); }
  /// The profile must not end before the process does, or before nullptr is given.
  static void use(WaitProfile* profile) noexcept { used.store(profile, std::memory_order_release); }

  /// Whether the next wait is to find out where it is, however short it is.
  bool is_due() const noexcept {
    const WaitTimes times = gathered();
    return times.idle + times.moving >= most_gathered;
  }
  /// A wait has ended that does not know where it is.
  void waited(WaitTimes times) noexcept {
    idle_.fetch_add(times.idle, std::memory_order_relaxed);
    moving_.fetch_add(times.moving, std::memory_order_relaxed);
  }
  /// A wait has ended at this site. `rank`: for which it has waited; negative: for several, or it is not known.
  void waited(WaitTimes times, CallSites::Site& site, std::int32_t rank) noexcept {
    site.add_wait(times.idle + idle_.exchange(0, std::memory_order_relaxed), rank);
    site.worked.fetch_add(times.moving + moving_.exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
  }
  /// Where the call of this thread is. Takes some microseconds.
  CallSites::Site& site_on_stack() noexcept;
  /// The time that no place has got so far.
  WaitTimes gathered() const noexcept {
    return {.idle = idle_.load(std::memory_order_relaxed), .moving = moving_.load(std::memory_order_relaxed)};
  }

 private:
  static constexpr std::uint64_t most_gathered = 1'000'000;  // nanoseconds

  static inline constinit Atomic<WaitProfile*> used{nullptr};

  CallSites& sites_;
  Atomic<std::uint64_t> idle_{0}, moving_{0};  ///< of gathered()
};

}  // namespace bowline
