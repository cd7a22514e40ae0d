// SPDX-License-Identifier: BSD-3-Clause
// The lock that serializes threads inside one part of the library when MPI_THREAD_MULTIPLE was granted.
#pragma once

#include "base/atomic.hpp"
#include "base/mutex.hpp"
#include "base/this_thread.hpp"

namespace bowline {

/// A mutex that its owner may take again, because a user's callback (such as an error handler) runs under the lock and
/// may call MPI. If disabled (the single-threaded levels), it costs one predictable branch.
class OwnerLock {
 public:
  constexpr OwnerLock() = default;

  /// Call before a second thread exists.
  void enable() noexcept { enabled_ = true; }
  bool enabled() const noexcept { return enabled_; }

  void acquire() {
    if (enabled_) [[unlikely]]
      acquire_enabled();
  }

  /// Takes the lock if no thread has it, not even the calling thread.
  bool try_acquire() {
    if (!enabled_) [[likely]]
      return true;
    const void* const self = this_thread_mark();
    if (owner_.load(std::memory_order_relaxed) == self || !mutex_.try_lock()) return false;
    taken_by(self);
    return true;
  }

  void release() noexcept {
    if (!enabled_) [[likely]]
      return;
    if (depth_ > 0) {
      --depth_;
      return;
    }
    owner_.store(nullptr, std::memory_order_relaxed);
    mutex_.unlock();
  }

  /// Whether the owner has taken the lock more than once.
  bool nested() const noexcept { return depth_ > 0; }

  /// Lets waiting threads take the lock between two attempts of a waiting loop. A nested call in a callback keeps the
  /// lock, because its caller relies on unchanged state. Returns true if another thread may have had the lock.
  bool pass() {
    if (!enabled_ || depth_ > 0 || waiting_.load(std::memory_order_relaxed) == 0) [[likely]]
      return false;
    const auto before = handovers_.load(std::memory_order_relaxed);
    release();
    // The thread that released a mutex may take it again at once, so wait until another thread has had it.
    while (handovers_.load(std::memory_order_relaxed) == before && waiting_.load(std::memory_order_relaxed) > 0) {
      yield_thread();
    }
    acquire();
    return true;
  }

 private:
  /// Apart, so that calls of a process with one thread contain a test only.
  [[gnu::noinline]] void acquire_enabled() {
    const void* const self = this_thread_mark();
    if (owner_.load(std::memory_order_relaxed) == self) {
      ++depth_;
      return;
    }
    if (!mutex_.try_lock()) {
      waiting_.fetch_add(1, std::memory_order_relaxed);
      mutex_.lock();
      waiting_.fetch_sub(1, std::memory_order_relaxed);
    }
    taken_by(self);
  }

  void taken_by(const void* self) noexcept {
    // Written under the mutex: no read-modify-write is needed.
    handovers_.store(handovers_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    owner_.store(self, std::memory_order_relaxed);
  }

  bool enabled_ = false;
  int depth_ = 0;  // written by the owner only
  Atomic<const void*> owner_{nullptr};
  Atomic<int> waiting_{0};         // threads that found the lock taken
  Atomic<unsigned> handovers_{0};  // times the lock was taken
  Mutex mutex_;
};

/// Holds the lock for the lifetime of the object.
class LockGuard {
 public:
  explicit LockGuard(OwnerLock& lock) : lock_(lock) { lock_.acquire(); }
  ~LockGuard() { lock_.release(); }
  LockGuard(const LockGuard&) = delete;
  LockGuard& operator=(const LockGuard&) = delete;

 private:
  OwnerLock& lock_;
};

}  // namespace bowline
