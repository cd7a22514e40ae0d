// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/base/atomic.hpp: Relacy returns from a load every value that C++'s memory model allows, and reports
// accesses to plain memory that no order separates.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "model_memory.hpp"

namespace bowline {
namespace model {

/// Operations on the word at an address, as the values of type T.
template <class T>
class Operations {
 public:
  using Raw = RawOf<T>;
  using Where = model::Where;
  using Order = std::memory_order;

  static T load(const void* place, Order order, Where where) {
    Words* const words = Words::here;
    return words == nullptr ? plain(place) : from(words->word<Raw>(place).load(relacy(order, where), relacy(where)));
  }
  static void store(void* place, T value, Order order, Where where) {
    if (Words* const words = Words::here)
      words->word<Raw>(place).store(raw(value), relacy(order, where), relacy(where));
    else
      std::memcpy(place, &value, sizeof value);
  }
  static T exchange(void* place, T value, Order order, Where where) {
    return from(Words::here->word<Raw>(place).exchange(raw(value), relacy(order, where), relacy(where)));
  }
  static T fetch_add(void* place, Raw value, Order order, Where where) {
    return from(Words::here->word<Raw>(place).fetch_add(value, relacy(order, where), relacy(where)));
  }
  static bool compare_exchange(void* place, T& expected, T value, Order success, Order failure, bool weak,
                               Where where) {
    Raw found = raw(expected);
    const bool done = Words::here->word<Raw>(place).compare_exchange(found, raw(value), relacy(success, where),
                                                                     relacy(failure, where), weak, relacy(where));
    expected = from(found);
    return done;
  }
  /// Replaces the value by `change(value)`.
  template <class Change>
  static T update(void* place, Change change, Order order, Where where) {
    const Order failure = std::memory_order_relaxed;
    T expected = load(place, failure, where);
    while (!compare_exchange(place, expected, change(expected), order, failure, false, where)) continue;
    return expected;
  }

 private:
  static Raw raw(T value) noexcept {
    Raw made{};
    std::memcpy(&made, &value, sizeof value);
    return made;
  }
  static T from(Raw value) noexcept {
    T made{};
    std::memcpy(&made, &value, sizeof made);
    return made;
  }
  static T plain(const void* place) noexcept {
    T value{};
    std::memcpy(&value, place, sizeof value);
    return value;
  }
};

/// What std::atomic and std::atomic_ref have in common. `Self` has a function place().
template <class Self, class T>
class AtomicFunctions {
  using On = Operations<T>;
  using Order = std::memory_order;
  using Where = model::Where;
  static constexpr Order strongest = std::memory_order_seq_cst;
  static constexpr Order on_failure(Order order) noexcept {
    return order == std::memory_order_acq_rel   ? std::memory_order_acquire
           : order == std::memory_order_release ? std::memory_order_relaxed
                                                : order;
  }

 public:
  T load(Order order = strongest, Where where = Where::current()) const { return On::load(place(), order, where); }
  operator T() const { return load(); }
  void store(T value, Order order = strongest, Where where = Where::current()) const {
    On::store(place(), value, order, where);
  }
  T exchange(T value, Order order = strongest, Where where = Where::current()) const {
    return On::exchange(place(), value, order, where);
  }
  T fetch_add(T value, Order order = strongest, Where where = Where::current()) const {
    return On::fetch_add(place(), static_cast<typename On::Raw>(value), order, where);
  }
  T fetch_sub(T value, Order order = strongest, Where where = Where::current()) const {
    return On::fetch_add(place(), static_cast<typename On::Raw>(-value), order, where);
  }
  T fetch_or(T value, Order order = strongest, Where where = Where::current()) const {
    return On::update(
        place(), [&](T old) { return static_cast<T>(old | value); }, order, where);
  }
  T fetch_and(T value, Order order = strongest, Where where = Where::current()) const {
    return On::update(
        place(), [&](T old) { return static_cast<T>(old & value); }, order, where);
  }
  T fetch_xor(T value, Order order = strongest, Where where = Where::current()) const {
    return On::update(
        place(), [&](T old) { return static_cast<T>(old ^ value); }, order, where);
  }
  bool compare_exchange_weak(T& expected, T value, Order order = strongest, Where where = Where::current()) const {
    return On::compare_exchange(place(), expected, value, order, on_failure(order), true, where);
  }
  bool compare_exchange_weak(T& expected, T value, Order success, Order failure, Where where = Where::current()) const {
    return On::compare_exchange(place(), expected, value, success, failure, true, where);
  }
  bool compare_exchange_strong(T& expected, T value, Order order = strongest, Where where = Where::current()) const {
    return On::compare_exchange(place(), expected, value, order, on_failure(order), false, where);
  }
  bool compare_exchange_strong(T& expected, T value, Order success, Order failure,
                               Where where = Where::current()) const {
    return On::compare_exchange(place(), expected, value, success, failure, false, where);
  }
  T operator++() const { return static_cast<T>(fetch_add(1) + 1); }
  T operator--() const { return static_cast<T>(fetch_sub(1) - 1); }
  T operator++(int) const { return fetch_add(1); }
  T operator--(int) const { return fetch_sub(1); }

 private:
  void* place() const noexcept { return static_cast<const Self*>(this)->place(); }
};

}  // namespace model

/// Has the size and the alignment of std::atomic, so that layouts of shared memory stay what they are.
template <class T>
class Atomic : public model::AtomicFunctions<Atomic<T>, T> {
 public:
  static constexpr bool is_always_lock_free = true;

  constexpr Atomic(T value = T()) : initial_(value) {
    if (!std::is_constant_evaluated() && model::Words::here != nullptr) model::Words::here->made<T>(this);
  }
  constexpr ~Atomic() {
    if (!std::is_constant_evaluated() && model::Words::here != nullptr) model::Words::here->forget(this);
  }
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;
  T operator=(T value) {
    this->store(value);
    return value;
  }

  void* place() const noexcept { return const_cast<T*>(&initial_); }

 private:
  alignas(sizeof(T)) T initial_;
};

template <class T>
class AtomicRef : public model::AtomicFunctions<AtomicRef<T>, T> {
 public:
  explicit AtomicRef(T& place) : place_(&place) {}
  void* place() const noexcept { return place_; }

 private:
  T* place_;
};

inline void thread_fence(std::memory_order order, model::Where where = model::Where::current()) {
  if (!model::is_relaxed(where)) rl::atomic_thread_fence(model::relacy(order), model::relacy(where));
}
/// The compiler exchanges nothing here.
inline void compiler_fence() noexcept {}

inline void copy_to_shared(void* to, const void* from, std::size_t bytes,
                           model::Where where = model::Where::current()) {
  model::Words::here->copy_to(to, from, bytes, where);
}
inline void copy_from_shared(void* to, const void* from, std::size_t bytes,
                             model::Where where = model::Where::current()) {
  model::Words::here->copy_from(to, from, bytes, where);
}

}  // namespace bowline
