// SPDX-License-Identifier: BSD-3-Clause
// Doorbell: wakes the owner of an inbox that sleeps.
//
// A producer publishes and then checks whether the owner sleeps; the owner announces that it sleeps and then checks
// whether a record was published. Each must see the other's store, which takes a full fence on both sides. Sleeping is
// rare and sending is not, so the owner executes both fences: membarrier(2) runs a fence on every core that runs a
// registered process. If the kernel does not offer membarrier(2), the owner sleeps for short times only and needs no
// wake-up. If the kernel refuses membarrier(2) to a producer but not to the owner, a wake-up by this producer may be
// lost, and the owner sleeps for the time that its caller has given.
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace bowline::shm {

/// How the owner of the inbox sleeps; the value of its word.
enum class Asleep : std::uint32_t {
  no,
  at_the_word,  ///< woken by futex(2)
  elsewhere,    ///< woken by a byte to its bell
};

/// Prepares this process to be woken by others, and to wake others. Call once before the first ring() or sleep.
void doorbell_register() noexcept;

/// Whether the owner has to be woken; called by a producer right after publishing.
inline bool owner_asleep(const Atomic<std::uint32_t>& asleep) noexcept {
  compiler_fence();  // pairs with the owner's membarrier
  return asleep.load(std::memory_order_relaxed) != 0;
}

/// Wakes the owner if it sleeps on this word, and returns how it sleeps. Of several concurrent callers only one learns
/// that the owner sleeps; the others get Asleep::no.
Asleep wake_owner(Atomic<std::uint32_t>& asleep) noexcept;

/// Wakes every thread of this process that sleeps on the word, whatever its value.
void wake_all(Atomic<std::uint32_t>& asleep) noexcept;

/// Announces that the owner is about to sleep. The owner must check once more for messages after that. What it has
/// stored before, in whatever order, is known to each producer whose record this check does not find.
void announce_sleep(Atomic<std::uint32_t>& asleep, Asleep where = Asleep::at_the_word) noexcept;

/// Sleeps until woken or for longest_sleep(milliseconds), and withdraws the announcement.
void sleep_on(Atomic<std::uint32_t>& asleep, int milliseconds) noexcept;

/// The time that an owner may sleep, in milliseconds: the given time, or less if producers cannot be relied on to see
/// that it sleeps.
int longest_sleep(int milliseconds) noexcept;

/// Withdraws an announcement without sleeping.
void stay_awake(Atomic<std::uint32_t>& asleep) noexcept;

}  // namespace bowline::shm
