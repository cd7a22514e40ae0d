// SPDX-License-Identifier: BSD-3-Clause
#include "base/wait.hpp"

#include <sys/resource.h>

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

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Daemons and the kernel's threads want a core less often than this. Among ranks that wait as this one does, most
// yields end so.
constexpr int least_switches = 4;
constexpr milliseconds between_switches{2};
constexpr milliseconds slice{1};  // what a kernel thread does in between takes less
// How long it is remembered: to find out anew costs the others some time. Twice as long each time that it is found out
// again at once.
constexpr milliseconds shortest_memory{250};
constexpr milliseconds longest_memory{2000};

struct Seen {
  Clock::time_point begin;  ///< since when switches are counted
  long switches = 0;        ///< how many there were by then
  Clock::time_point last_yield;
  Clock::time_point until;  ///< until when the core is taken for wanted by others
  milliseconds memory = shortest_memory;
};

/// How often this thread has not run although it wanted to.
long switches_so_far() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/// Whether others have run here so often, or so long, that this thread's waiting is in their way.
bool others_want_core(Seen& seen, Clock::time_point now, bool first) noexcept {
  const bool long_absence = !first && now - seen.last_yield > slice;
  const long switches = switches_so_far();
  const long taken = switches - seen.switches;
  const auto since = now - seen.begin;
  const bool just_forgotten = seen.begin < seen.until;
  const bool often = !just_forgotten && taken >= least_switches && since <= taken * between_switches;
  if (long_absence || often) return true;
  if (just_forgotten || since > least_switches * between_switches) {
    if (!just_forgotten) seen.memory = shortest_memory;
    seen.begin = now;
    seen.switches = switches;
  }
  return false;
}

}  // namespace

bool CoreWatch::taken_away(bool first) noexcept {
  thread_local Seen seen;
  const Clock::time_point now = Clock::now();
  if (now >= seen.until && others_want_core(seen, now, first)) {
    seen.until = now + seen.memory;
    seen.memory = std::min(2 * seen.memory, longest_memory);
  }
  seen.last_yield = now;
  return now < seen.until;
}

}  // namespace bowline
