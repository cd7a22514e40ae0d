// SPDX-License-Identifier: BSD-3-Clause
#include "shm/doorbell.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <limits>

namespace bowline::shm {
namespace {

constexpr int nap_milliseconds = 1;

bool has_membarrier = false;

long membarrier(int command) noexcept {
  return syscall(SYS_membarrier, command, 0, 0);
}

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) noexcept {
  return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

void doorbell_register() noexcept {
  const long commands = membarrier(MEMBARRIER_CMD_QUERY);
  has_membarrier = commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0 &&
                   membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
}

Asleep wake_owner(std::atomic<std::uint32_t>& asleep) noexcept {
  const auto was = static_cast<Asleep>(asleep.exchange(0, std::memory_order_acq_rel));
  if (was == Asleep::at_the_word) futex(asleep, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr);
  return was;
}

void wake_all(std::atomic<std::uint32_t>& asleep) noexcept {
  asleep.store(0, std::memory_order_release);
  futex(asleep, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr);
}

void announce_sleep(std::atomic<std::uint32_t>& asleep, Asleep where) noexcept {
  asleep.store(static_cast<std::uint32_t>(where), std::memory_order_seq_cst);
  if (has_membarrier) membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

void sleep_on(std::atomic<std::uint32_t>& asleep, int milliseconds) noexcept {
  milliseconds = longest_sleep(milliseconds);
  const timespec timeout{.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
  futex(asleep, FUTEX_WAIT, 1, &timeout);  // woken, timed out, interrupted or not slept at all: the caller polls anyway
  stay_awake(asleep);
}

int longest_sleep(int milliseconds) noexcept {
  return has_membarrier ? milliseconds : std::min(milliseconds, nap_milliseconds);
}

void stay_awake(std::atomic<std::uint32_t>& asleep) noexcept {
  asleep.store(0, std::memory_order_relaxed);
}

}  // namespace bowline::shm
