// SPDX-License-Identifier: BSD-3-Clause
#include "shm/doorbell.hpp"

#include <algorithm>

#include "base/atomic.hpp"
#include "base/kernel_waits.hpp"

namespace bowline::shm {
namespace {

constexpr int nap_milliseconds = 1;

Atomic<bool> has_process_fences{false};

}  // namespace

void doorbell_register() noexcept {
  has_process_fences.store(join_process_fences(), std::memory_order_relaxed);
}

Asleep wake_owner(Atomic<std::uint32_t>& asleep) noexcept {
  const auto was = static_cast<Asleep>(asleep.exchange(0, std::memory_order_acq_rel));
  if (was == Asleep::at_the_word) futex_wake(asleep);
  return was;
}

void wake_all(Atomic<std::uint32_t>& asleep) noexcept {
  asleep.store(0, std::memory_order_release);
  futex_wake(asleep);
}

void announce_sleep(Atomic<std::uint32_t>& asleep, Asleep where) noexcept {
  asleep.store(static_cast<std::uint32_t>(where), std::memory_order_seq_cst);
  if (has_process_fences.load(std::memory_order_relaxed)) process_fence();
}

void sleep_on(Atomic<std::uint32_t>& asleep, int milliseconds) noexcept {
  futex_wait(asleep, static_cast<std::uint32_t>(Asleep::at_the_word), longest_sleep(milliseconds));
  stay_awake(asleep);
}

int longest_sleep(int milliseconds) noexcept {
  return has_process_fences.load(std::memory_order_relaxed) ? milliseconds : std::min(milliseconds, nap_milliseconds);
}

void stay_awake(Atomic<std::uint32_t>& asleep) noexcept {
  asleep.store(0, std::memory_order_relaxed);
}

}  // namespace bowline::shm
