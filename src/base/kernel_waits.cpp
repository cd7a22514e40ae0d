// SPDX-License-Identifier: BSD-3-Clause
#include "base/kernel_waits.hpp"

#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <limits>

namespace bowline {
namespace {

long membarrier(int command) noexcept {
  return syscall(SYS_membarrier, command, 0, 0);
}

long futex(Atomic<std::uint32_t>& word, int operation, std::uint32_t value, const timespec* timeout) noexcept {
  return syscall(SYS_futex, &word, operation, value, timeout, nullptr, 0);
}

}  // namespace

void futex_wait(Atomic<std::uint32_t>& word, std::uint32_t value, int milliseconds) noexcept {
  const timespec timeout{.tv_sec = milliseconds / 1000, .tv_nsec = milliseconds % 1000 * 1000000L};
  futex(word, FUTEX_WAIT, value, &timeout);  // woken, timed out, interrupted or another value: all the same
}

void futex_wake(Atomic<std::uint32_t>& word) noexcept {
  futex(word, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr);
}

bool join_process_fences() noexcept {
  const long commands = membarrier(MEMBARRIER_CMD_QUERY);
  return commands > 0 && (commands & MEMBARRIER_CMD_GLOBAL_EXPEDITED) != 0 &&
         membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
}

void process_fence() noexcept {
  membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}

}  // namespace bowline
