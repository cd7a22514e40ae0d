// SPDX-License-Identifier: BSD-3-Clause
#include "rma/synchronization/accumulate_lock.hpp"

#include "base/cpu_relax.hpp"
#include "base/log.hpp"
#include "base/this_thread.hpp"

namespace bowline::rma {
namespace {

constexpr unsigned looks_before_yield = 256;
// A holder keeps the lock for microseconds, unless it has lost its core, or has ended.
constexpr unsigned yields_before_liveness_check = 1024;

}  // namespace

void AccumulateLock::wait(std::uint32_t me, Holders& holders) noexcept {
  for (unsigned tries = 0;; ++tries) {
    std::uint32_t holder = word_->load(std::memory_order_relaxed);
    if (holder == 0 && word_->compare_exchange_weak(holder, me, std::memory_order_acquire, std::memory_order_relaxed))
      return;
    if (tries < looks_before_yield) {
      cpu_relax();
      continue;
    }
    yield_thread();
    if (tries % yields_before_liveness_check != 0 || holder == 0 || !holders.ended(static_cast<int>(holder) - 1))
      continue;
    // An update that the ended holder has left half done is lost with it.
    if (word_->compare_exchange_strong(holder, me, std::memory_order_acquire, std::memory_order_relaxed)) {
      log::info("a process has ended while it accumulated; others go on");
      return;
    }
  }
}

}  // namespace bowline::rma
