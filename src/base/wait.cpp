// SPDX-License-Identifier: BSD-3-Clause
#include "base/wait.hpp"

#include <algorithm>
#include <chrono>

#include "base/tunable.hpp"

namespace bowline {
namespace {

Tunable<int> wait_spins{"wait_spins", 4000, 0, 1 << 30,
                        "attempts a waiting call makes before it yields its core, when every rank has a core"};
Tunable<int> wait_spins_crowded{"wait_spins_crowded", 24, 0, 1 << 30,
                                "the same when ranks share cores: about as long as it takes to change to another one"};
Tunable<int> wait_yields{"wait_yields", 1000, 0, 1 << 30, "times a waiting call yields its core before it sleeps"};

constexpr int spins_of_threads = 128;

}  // namespace

WaitPolicy WaitPolicy::make(bool more_ranks_than_cores, bool threaded) noexcept {
  int spins = (more_ranks_than_cores ? wait_spins_crowded : wait_spins).value();
  // A thread that spins may keep another one of its process from the core that both share; how many there are is not
  // known.
  if (threaded) spins = more_ranks_than_cores ? 0 : std::min(spins, spins_of_threads);
  return {static_cast<std::uint32_t>(spins), static_cast<std::uint32_t>(wait_yields.value()),
          more_ranks_than_cores && !threaded};
}

bool CoreWatch::taken_away(bool first) noexcept {
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds slice{1};     // what a kernel thread does in between takes less
  constexpr std::chrono::milliseconds memory{250};  // to find out anew costs a time slice
  thread_local Clock::time_point last_yield;
  thread_local Clock::time_point until;
  const Clock::time_point now = Clock::now();
  if (!first && now - last_yield > slice) until = now + memory;
  last_yield = now;
  return now < until;
}

}  // namespace bowline
