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
constexpr std::uint32_t yields_per_look = 8;
constexpr std::uint32_t last_yields = 2;  // before a sleep where the core is wanted: often they are enough

struct Seen {
  Clock::time_point begin;  ///< since when switches are counted
  long switches = 0;        ///< how many there were by then
  Clock::time_point last_look;
  bool wanted = false;
  Clock::time_point until;  ///< of being wanted
  milliseconds memory = shortest_memory;

  void begin_anew(Clock::time_point now, long now_switches) noexcept {
    begin = now;
    switches = now_switches;
  }
};

thread_local Seen seen;

/// How often this thread has not run although it wanted to.
long switches_so_far() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

}  // namespace

bool CoreWatch::wanted() noexcept {
  if (!seen.wanted) return false;
  const Clock::time_point now = Clock::now();
  if (now < seen.until) return true;
  seen.wanted = false;
  seen.last_look = now;
  seen.begin_anew(now, switches_so_far());
  return false;
}

void CoreWatch::look(bool shared_cores, bool first) noexcept {
  const Clock::time_point now = Clock::now();
  const bool long_absence = !first && now - seen.last_look > slice;
  seen.last_look = now;
  const long switches = switches_so_far();
  const long taken = shared_cores ? 0 : switches - seen.switches;
  if (long_absence || (taken >= least_switches && now - seen.begin <= taken * between_switches)) {
    seen.wanted = true;
    seen.until = now + seen.memory;
    seen.memory = std::min(2 * seen.memory, longest_memory);
  } else if (now - seen.begin > least_switches * between_switches) {
    seen.begin_anew(now, switches);
    seen.memory = shortest_memory;
  }
}

std::uint32_t Waiter::sparing(const WaitPolicy& policy, std::uint32_t attempts) noexcept {
  if (!CoreWatch::wanted()) return attempts;
  return std::max(attempts, policy.spins + policy.yields - std::min(policy.yields, last_yields));
}

std::uint32_t Waiter::watching(const WaitPolicy& policy, std::uint32_t attempts) noexcept {
  const std::uint32_t yields = attempts - policy.spins;
  if (yields % yields_per_look == 0 && !CoreWatch::wanted()) CoreWatch::look(policy.shared_cores, yields == 0);
  return sparing(policy, attempts);
}

}  // namespace bowline
