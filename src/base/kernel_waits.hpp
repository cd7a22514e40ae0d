// SPDX-License-Identifier: BSD-3-Clause
// What the kernel offers to processes that wait for a word in shared memory: futex(2) and membarrier(2).
#pragma once

#include <cstdint>

#include "base/atomic.hpp"

namespace bowline {

/// Sleeps if the word has this value, until futex_wake(), for the given time, or for less: the caller looks again.
void futex_wait(Atomic<std::uint32_t>& word, std::uint32_t value, int milliseconds) noexcept;

/// Wakes all threads, of every process, that sleep at the word.
void futex_wake(Atomic<std::uint32_t>& word) noexcept;

/// Makes this process execute the fences of others. Returns whether the kernel offers them.
bool join_process_fences() noexcept;

/// Executes a full fence in every running thread of the processes that have joined. The threads that do not run have
/// executed one when they were suspended.
void process_fence() noexcept;

}  // namespace bowline
