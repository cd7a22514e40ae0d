// SPDX-License-Identifier: BSD-3-Clause
// NotificationBits: how producers notify the owner of an inbox that they have published in a ring that it does not
// poll. The owner finds the notifications in one line, however many producers are silent.
//
// Each producer has a bit; 64 producers share a word. Each word has a bit in the summary, which is set if the word may
// have set bits.
//
//   producer: publishes the record, sets its bit, then the word's bit in the summary
//   owner:    clears the summary's bits, then the bits of the words that they name, then reads the rings
//
// All accesses are read-modify-writes. The later of two accesses to a word sees everything that was done before the
// earlier one. The owner that clears a bit therefore sees the record, and a bit that is set after the owner has cleared
// the word leaves the summary set again. A producer that finds its bit still set need not set the summary. The producer
// has set the summary before, and the owner has not cleared the word since; when the owner clears the word, it also
// sees the new record.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/atomic.hpp"
#include "shm/ring_layout.hpp"

namespace bowline::shm {

/// Lies in shared memory that is zero at first, which means that no producer has notified.
class NotificationBits {
 public:
  static constexpr std::size_t max_producers = 64 * 400;

  /// Called by producer number `producer`, below max_producers, after it has published.
  void notify(std::size_t producer) noexcept {
    const std::size_t word = producer / 64;
    const std::uint64_t bit = std::uint64_t{1} << (producer % 64);
    if ((words_[word].fetch_or(bit, std::memory_order_acq_rel) & bit) != 0) return;
    summary_[word / 64].fetch_or(std::uint64_t{1} << (word % 64), std::memory_order_acq_rel);
  }

  /// Called by the owner: whether one of the first `producers` has notified. A single load for up to 4096 producers.
  bool any(std::size_t producers) const noexcept {
    std::uint64_t bits = summary_[0].load(std::memory_order_relaxed);
    if (producers > 64 * 64) [[unlikely]] {
      for (const auto& word : summary_) bits |= word.load(std::memory_order_relaxed);
    }
    return bits != 0;
  }

  /// Called by the owner: clears the notifications and calls `named` once for each of the first `producers` that has
  /// notified; drops other notifications.
  template <class Named>
  void take(std::size_t producers, Named named) noexcept {
    for (std::size_t i = 0; i * 64 * 64 < producers; ++i) {
      for (std::uint64_t of = summary_[i].exchange(0, std::memory_order_acq_rel); of != 0; of &= of - 1) {
        const std::size_t word = 64 * i + static_cast<std::size_t>(std::countr_zero(of));
        if (word >= words_.size()) return;
        for (std::uint64_t bits = words_[word].exchange(0, std::memory_order_acq_rel); bits != 0; bits &= bits - 1) {
          const std::size_t producer = 64 * word + static_cast<std::size_t>(std::countr_zero(bits));
          if (producer < producers) named(producer);
        }
      }
    }
  }

 private:
  alignas(line_bytes) std::array<Atomic<std::uint64_t>, (max_producers + 4095) / 4096> summary_;
  alignas(line_bytes) std::array<Atomic<std::uint64_t>, max_producers / 64> words_;
};

}  // namespace bowline::shm
