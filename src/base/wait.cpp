// SPDX-License-Identifier: BSD-3-Clause
#include "base/wait.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>

#include "base/tunable.hpp"

namespace bowline {
namespace {

Tunable<int> wait_spins{"wait_spins", 4000, 0, 1 << 30,
                        "attempts a waiting call makes before it yields its core, when every rank has a core"};
Tunable<int> wait_spins_oversubscribed{
    "wait_spins_oversubscribed", 24, 0, 1 << 30,
    "the same when ranks share cores, about as long as it takes to change to another one; none if they share one"};
Tunable<int> wait_yields{"wait_yields", 1000, 0, 1 << 30, "times a waiting call yields its core before it sleeps"};

constexpr std::uint32_t spins_of_threads = 128;

/// `change`: the number of attempts that fit into a context switch.
constexpr WaitPolicy::OfSeveral spins_of_several(std::uint32_t change) noexcept {
  constexpr std::uint32_t steps = 5;
  return {.first = std::min(steps, change), .after_first_yield = 2 * change, .after_yield = change};
}

}  // namespace

WaitPolicy WaitPolicy::make(std::size_t ranks, std::size_t cores, bool threaded) noexcept {
  const bool shared = ranks > cores;
  auto spins = static_cast<std::uint32_t>((shared ? wait_spins_oversubscribed : wait_spins).value());
  // A spinning thread may occupy the core that another thread of its process needs; the number of threads is not known.
  if (threaded) spins = shared ? 0 : std::min(spins, spins_of_threads);
  if (shared && cores == 1) spins = 0;
  const bool two_on_each = shared && ranks <= 2 * cores;
  return {.spins = spins,
          .yields = static_cast<std::uint32_t>(wait_yields.value()),
          .shared_cores = shared && !threaded,
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
