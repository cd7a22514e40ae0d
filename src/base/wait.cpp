// SPDX-License-Identifier: BSD-3-Clause
#include "base/wait.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "base/tunable.hpp"

namespace bowline {
namespace {

Tunable<int> wait_spins{"wait_spins", -1, -1, 1 << 30,
                        "attempts that a waiting call makes before it yields its core; -1: 4000 if every rank has a "
                        "core, 24 if ranks share cores, 48 if messages come through the kernel"};

constexpr std::uint32_t spins_of_exclusive_cores = 4000;
constexpr std::uint32_t spins_of_shared_cores = 24;  // about the time of a context switch
constexpr std::uint32_t spins_through_kernel = 48;   // each is a system call
constexpr std::uint32_t spins_of_threads = 128;
constexpr std::uint32_t yields_before_sleep = 1000;

std::uint32_t spins_for(const WaitPolicy::Situation& situation, bool shared) noexcept {
  if (wait_spins.value() >= 0) return static_cast<std::uint32_t>(wait_spins.value());
  // The only core is needed by the rank that is waited for.
  if (shared && situation.cores == 1) return 0;
  // A spinning thread may occupy the core that another thread of its process needs; the number of threads is not known.
  if (situation.threaded) return shared ? 0 : spins_of_threads;
  if (shared) return spins_of_shared_cores;
  return situation.through_kernel ? spins_through_kernel : spins_of_exclusive_cores;
}

/// `change`: the number of attempts that fit into a context switch.
constexpr WaitPolicy::OfSeveral spins_of_several(std::uint32_t change) noexcept {
  constexpr std::uint32_t steps = 5;
  return {.first = std::min(steps, change), .after_first_yield = 2 * change, .after_yield = change};
}

}  // namespace

WaitPolicy WaitPolicy::make(const Situation& situation) noexcept {
  const bool shared = situation.ranks > situation.cores;
  const std::uint32_t spins = spins_for(situation, shared);
  const bool two_on_each = shared && situation.ranks <= 2 * situation.cores && !situation.through_kernel;
  return {.spins = spins,
          .yields = yields_before_sleep,
          .shared_cores = shared && !situation.threaded,
          .watches_core = situation.through_kernel,
          .of_several = two_on_each ? spins_of_several(spins) : WaitPolicy::OfSeveral{}};
}

namespace {

/// What the yields of this thread have shown.
struct Seen {
  std::uint32_t wanted_for = 0;        ///< number of further waits
  CoreWatch::Clock::time_point until;  ///< the core counts as taken away
  CoreWatch::Clock::time_point last_yield;
};

thread_local Seen seen;

}  // namespace

void WaitPolicy::yield() const noexcept {
  if (!watches_core) {
    sched_yield();
    return;
  }
  const CoreWatch::Clock::time_point began = CoreWatch::Clock::now();
  sched_yield();
  CoreWatch::yielded(began, CoreWatch::Clock::now());
}

void CoreWatch::yielded(Clock::time_point began, Clock::time_point ended) noexcept {
  constexpr std::chrono::microseconds change{2};  // longer than a system call, shorter than two context switches
  constexpr std::uint32_t waits = 256;            // one long fruitless spin in so many waits costs little
  // Other waiting processes yield too and leave the core sooner; a computing process keeps it at least until the
  // kernel's next tick (4 ms on most systems).
  constexpr std::chrono::milliseconds slice{3};
  constexpr std::chrono::milliseconds memory{100};  // each new test costs a time slice
  if (ended - began > change) seen.wanted_for = waits;
  if (ended - began > slice) seen.until = ended + memory;
  seen.last_yield = ended;
}

bool CoreWatch::wanted() noexcept {
  if (seen.wanted_for == 0) return false;
  --seen.wanted_for;
  return true;
}

bool CoreWatch::taken_away() noexcept {
  return seen.last_yield < seen.until;
}

}  // namespace bowline
