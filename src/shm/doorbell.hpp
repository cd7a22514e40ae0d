// SPDX-License-Identifier: BSD-3-Clause
// Doorbell: waking the owner of an inbox that went to sleep.
//
// A producer publishes and then looks whether the owner sleeps; the owner says it sleeps and then looks whether
// something was published. Each must see the other's store, which takes a full fence on both sides. Sleeping is rare
// and sending is not, so the owner pays for both: membarrier(2) runs a fence on every core that runs a registered
// process. Where the kernel does not offer that, the owner naps for short times and needs no one to wake it.
#pragma once

#include <atomic>
#include <cstdint>

namespace bowline::shm {

/// What the word says: how the owner of the inbox sleeps.
enum class Asleep : std::uint32_t {
  no,
  at_the_word,  ///< woken by futex(2)
  elsewhere,    ///< woken by a byte to its bell
};

/// Prepares this process to be woken by, and to wake, others. Call once before the first ring() or sleep.
void doorbell_register() noexcept;

/// Whether the owner has to be woken; called by a producer right after publishing.
inline bool owner_asleep(const std::atomic<std::uint32_t>& asleep) noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);  // the other half is the owner's membarrier
  return asleep.load(std::memory_order_relaxed) != 0;
}

/// Wakes the owner, if it sleeps on this word; says how it sleeps. Only one of several that come at the same time
/// hears that it sleeps.
Asleep wake_owner(std::atomic<std::uint32_t>& asleep) noexcept;

/// Wakes every thread of this process that sleeps on the word, whatever it says.
void wake_all(std::atomic<std::uint32_t>& asleep) noexcept;

/// Announces that the owner is about to sleep. After it the owner must look once more for messages.
void announce_sleep(std::atomic<std::uint32_t>& asleep, Asleep where = Asleep::at_the_word) noexcept;

/// Sleeps until woken or for `milliseconds` (less where naps are needed), and withdraws the announcement.
void sleep_on(std::atomic<std::uint32_t>& asleep, int milliseconds) noexcept;

/// How long an owner may sleep, in milliseconds, of the given time: shorter where producers cannot be relied on to
/// see that it sleeps.
int longest_sleep(int milliseconds) noexcept;

/// Withdraws an announcement without sleeping.
void stay_awake(std::atomic<std::uint32_t>& asleep) noexcept;

}  // namespace bowline::shm
