// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/base/mutex.hpp. Like an atomic word, a lock is found by its address.
#pragma once

#include <cstdint>
#include <mutex>

#include "model_memory.hpp"

namespace bowline {

class Mutex {
 public:
  constexpr Mutex() noexcept = default;
  ~Mutex() {
    if (model::Words::here != nullptr) model::Words::here->forget(this);
  }
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() { relacy().lock(RL_INFO); }
  bool try_lock() { return relacy().try_lock(RL_INFO); }
  void unlock() { relacy().unlock(RL_INFO); }

  rl::mutex& relacy() { return model::Words::here->object<rl::mutex>(this); }

 private:
  [[maybe_unused]] char address_ = 0;  // a lock is found by its address
};

class ConditionVariable {
 public:
  constexpr ConditionVariable() noexcept = default;
  ~ConditionVariable() {
    if (model::Words::here != nullptr) model::Words::here->forget(this);
  }
  ConditionVariable(const ConditionVariable&) = delete;
  ConditionVariable& operator=(const ConditionVariable&) = delete;

  void notify_one() { notify_all(); }
  void notify_all() {
    word().fetch_add(1, rl::mo_relaxed, RL_INFO);
    word().wake(RL_INFO);
  }
  /// Wakes up for a notification only: one that is lost leaves the model in a deadlock.
  template <class Predicate>
  void wait(std::unique_lock<Mutex>& lock, Predicate holds) {
    while (!holds()) sleep(lock, false);
  }
  /// The time may be over at any moment.
  template <class Time, class Predicate>
  bool wait_for(std::unique_lock<Mutex>& lock, Time, Predicate holds) {
    if (!holds()) sleep(lock, true);
    return holds();
  }

 private:
  /// Others may run between the test of the predicate and the sleep.
  void sleep(std::unique_lock<Mutex>& lock, bool timed) {
    rl::ctx().sched();
    const std::uint32_t notified = word().load(rl::mo_acquire, RL_INFO);
    lock.unlock();
    word().wait(notified, timed, RL_INFO);
    lock.lock();
  }
  model::Word<std::uint32_t>& word() { return model::Words::here->word<std::uint32_t>(&notified_); }

  std::uint32_t notified_ = 0;
};

}  // namespace bowline
