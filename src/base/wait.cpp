// SPDX-License-Identifier: BSD-3-Clause
#include "base/wait.hpp"

#include "base/tunable.hpp"

namespace bowline {
namespace {

Tunable<int> wait_spins(Category::waiting, "wait_spins", -1, -1, 1 << 30,
                        "attempts that a waiting call makes before it yields its core; -1: 4000 if every rank has a "
                        "core, 24 if ranks share cores, 48 if messages come through the kernel");

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

}  // namespace

WaitPolicy WaitPolicy::make(const Situation& situation) noexcept {
  const bool shared = situation.ranks > situation.cores;
  return {.spins = spins_for(situation, shared),
          .yields = yields_before_sleep,
          .shared_cores = shared && !situation.threaded};
}

}  // namespace bowline
