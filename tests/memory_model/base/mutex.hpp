// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/base/mutex.hpp. Like an atomic word, a lock is found by its address.
#pragma once

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
  char address_ = 0;
};

class ConditionVariable {
 public:
  constexpr ConditionVariable() noexcept = default;
  ~ConditionVariable() {
    if (model::Words::here != nullptr) model::Words::here->forget(this);
  }
  ConditionVariable(const ConditionVariable&) = delete;
  ConditionVariable& operator=(const ConditionVariable&) = delete;

  // Others may run between the test of a predicate and the wait: a notification without the lock is lost then.
  void notify_one() { relacy().notify_one(RL_INFO); }
  void notify_all() { relacy().notify_all(RL_INFO); }
  template <class Predicate>
  void wait(std::unique_lock<Mutex>& lock, Predicate holds) {
    while (!holds()) {
      rl::ctx().sched();
      relacy().wait(lock.mutex()->relacy(), RL_INFO);
    }
  }
  /// The time may be over at any moment.
  template <class Time, class Predicate>
  bool wait_for(std::unique_lock<Mutex>& lock, Time time, Predicate holds) {
    while (!holds()) {
      rl::ctx().sched();
      if (!relacy().wait_for(lock.mutex()->relacy(), time, RL_INFO)) return holds();
    }
    return true;
  }

 private:
  rl::condition_variable& relacy() { return model::Words::here->object<rl::condition_variable>(this); }

  char address_ = 0;
};

}  // namespace bowline
