// SPDX-License-Identifier: BSD-3-Clause
// The words on which processes or threads synchronize, and the memory that they hand over by them.
//
// Structures use these names instead of std::atomic, so that the tests in tests/memory_model/ can compile the same code
// with other types in their place. Those explore all orders that C++'s memory model allows.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

namespace bowline {

template <class T>
using Atomic = std::atomic<T>;
/// For a word in memory that is no object of its own.
template <class T>
using AtomicRef = std::atomic_ref<T>;

inline void thread_fence(std::memory_order order) noexcept {
  std::atomic_thread_fence(order);
}
/// Keeps the compiler, not the processor, from exchanging the accesses before and after it.
inline void compiler_fence() noexcept {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

/// Copies into memory that another process or thread reads later, or out of memory that another one has written. Some
/// Atomic orders the accesses.
inline void copy_to_shared(void* to, const void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}
inline void copy_from_shared(void* to, const void* from, std::size_t bytes) noexcept {
  std::memcpy(to, from, bytes);
}

}  // namespace bowline
