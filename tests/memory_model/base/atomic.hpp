// SPDX-License-Identifier: BSD-3-Clause
// Stands in for src/base/atomic.hpp: words of Relacy, which returns from a load every value that C++'s memory model
// allows, and reports accesses to plain memory that no order separates.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>

#include "relacy.hpp"

namespace bowline {
namespace model {

inline rl::memory_order order(std::memory_order order) noexcept {
  switch (order) {
    case std::memory_order_relaxed:
      return rl::mo_relaxed;
    case std::memory_order_consume:
      return rl::mo_consume;
    case std::memory_order_acquire:
      return rl::mo_acquire;
    case std::memory_order_release:
      return rl::mo_release;
    case std::memory_order_acq_rel:
      return rl::mo_acq_rel;
    case std::memory_order_seq_cst:
      return rl::mo_seq_cst;
  }
  return rl::mo_seq_cst;
}

/// Memory that threads share, as words of 8 bytes. Those for which `is_atomic(index)` holds may be used as AtomicRef;
/// accesses to the others must be ordered. All are zero at first. One at a time exists.
class SharedWords {
 public:
  SharedWords(const std::byte* begin, std::size_t count, std::function<bool(std::size_t)> is_atomic)
      : begin_(begin),
        count_(count),
        is_atomic_(std::move(is_atomic)),
        atomics_(new rl::atomic<std::uint64_t>[count]),
        plain_(new rl::var<std::uint64_t>[count]) {
    for (std::size_t i = 0; i < count; ++i) {
      atomics_[i].store(0, rl::mo_relaxed, RL_INFO);
      plain_[i](RL_INFO).store(0);
    }
    here = this;
  }
  ~SharedWords() { here = nullptr; }
  SharedWords(const SharedWords&) = delete;
  SharedWords& operator=(const SharedWords&) = delete;

  bool holds(const void* place) const noexcept {
    const auto* const byte = static_cast<const std::byte*>(place);
    return byte >= begin_ && byte < begin_ + count_ * sizeof(std::uint64_t);
  }
  rl::atomic<std::uint64_t>& atomic(const void* place) { return atomics_[index_of(place)]; }

  std::uint64_t load(const void* place) {
    const std::size_t index = index_of(place);
    return is_atomic_(index) ? atomics_[index].load(rl::mo_relaxed, RL_INFO) : plain_[index](RL_INFO).load();
  }
  void store(const void* place, std::uint64_t value) {
    const std::size_t index = index_of(place);
    if (is_atomic_(index)) {
      atomics_[index].store(value, rl::mo_relaxed, RL_INFO);
    } else {
      plain_[index](RL_INFO).store(value);
    }
  }

  static inline SharedWords* here = nullptr;

 private:
  std::size_t index_of(const void* place) const noexcept {
    return static_cast<std::size_t>(static_cast<const std::byte*>(place) - begin_) / sizeof(std::uint64_t);
  }

  const std::byte* begin_;
  std::size_t count_;
  std::function<bool(std::size_t)> is_atomic_;
  std::unique_ptr<rl::atomic<std::uint64_t>[]> atomics_;
  std::unique_ptr<rl::var<std::uint64_t>[]> plain_;
};

}  // namespace model

template <class T>
class Atomic {
 public:
  Atomic() : Atomic(T()) {}
  Atomic(T value) { word_.store(value, rl::mo_relaxed, RL_INFO); }
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(std::memory_order order = std::memory_order_seq_cst) const { return word_.load(model::order(order), RL_INFO); }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    word_.store(value, model::order(order), RL_INFO);
  }
  T exchange(T value, std::memory_order order = std::memory_order_seq_cst) {
    return word_.exchange(value, model::order(order), RL_INFO);
  }
  T fetch_add(T value, std::memory_order order = std::memory_order_seq_cst) {
    return word_.fetch_add(value, model::order(order), RL_INFO);
  }
  T fetch_or(T value, std::memory_order order = std::memory_order_seq_cst) {
    return word_.fetch_or(value, model::order(order), RL_INFO);
  }
  bool compare_exchange_weak(T& expected, T value, std::memory_order order = std::memory_order_seq_cst) {
    return word_.compare_exchange_weak(expected, value, model::order(order), RL_INFO);
  }

 private:
  mutable rl::atomic<T> word_;
};

/// Only for words of SharedWords.
template <class T>
class AtomicRef {
 public:
  explicit AtomicRef(T& place) : word_(model::SharedWords::here->atomic(&place)) {}
  T load(std::memory_order order) const { return word_.load(model::order(order), RL_INFO); }
  void store(T value, std::memory_order order) const { word_.store(value, model::order(order), RL_INFO); }

 private:
  rl::atomic<std::uint64_t>& word_;
};

inline void fence(std::memory_order order) {
  rl::atomic_thread_fence(model::order(order), RL_INFO);
}
/// The compiler exchanges nothing here.
inline void compiler_fence() noexcept {}

inline void copy_to_shared(void* to, const void* from, std::size_t bytes) {
  RL_ASSERT(bytes % sizeof(std::uint64_t) == 0 && model::SharedWords::here->holds(to));
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, static_cast<const std::byte*>(from) + at, sizeof word);
    model::SharedWords::here->store(static_cast<std::byte*>(to) + at, word);
  }
}
inline void copy_from_shared(void* to, const void* from, std::size_t bytes) {
  RL_ASSERT(bytes % sizeof(std::uint64_t) == 0 && model::SharedWords::here->holds(from));
  for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = model::SharedWords::here->load(static_cast<const std::byte*>(from) + at);
    std::memcpy(static_cast<std::byte*>(to) + at, &word, sizeof word);
  }
}

}  // namespace bowline
