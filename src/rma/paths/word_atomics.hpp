// SPDX-License-Identifier: BSD-3-Clause
// Accumulates to words of memory that other processes accumulate to at the same time, by atomic instructions.
#pragma once

#include <cstddef>
#include <cstring>

#include "base/atomic.hpp"
#include "dtype/op.hpp"

namespace bowline::rma {

template <class Word>
Word read_operand(const std::byte* from) noexcept {
  Word value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Accumulates one element and returns its former value. `combine(operand, result)`: result = operand (op) result.
template <class Word, class Combine>
Word update_word(dtype::Operator op, Combine combine, const std::byte* in, AtomicRef<Word> target) {
  using dtype::Operator;
  switch (op) {
    case Operator::replace:
      return target.exchange(read_operand<Word>(in));
    case Operator::sum:  // also for signed numbers: signed and unsigned numbers wrap around alike
      return target.fetch_add(read_operand<Word>(in));
    case Operator::band:
      return target.fetch_and(read_operand<Word>(in));
    case Operator::bor:
      return target.fetch_or(read_operand<Word>(in));
    case Operator::bxor:
      return target.fetch_xor(read_operand<Word>(in));
    default: {
      const Word operand = read_operand<Word>(in);
      Word old = target.load(std::memory_order_acquire), result = 0;
      do {
        result = old;
        combine(&operand, &result);
      } while (!target.compare_exchange_weak(old, result));
      return old;
    }
  }
}

/// Accumulates `count` elements. `old` gets the former values; nullptr if they are not wanted.
template <class Word, class Combine>
void update_words(dtype::Operator op, Combine combine, const std::byte* in, std::byte* target, std::byte* old,
                  std::size_t count) {
  using dtype::Operator;
  auto* const words = reinterpret_cast<Word*>(target);
  if (old == nullptr && op == Operator::replace) {  // a store suffices
    for (std::size_t i = 0; i < count; ++i)
      AtomicRef<Word>(words[i]).store(read_operand<Word>(in + i * sizeof(Word)), std::memory_order_release);
    return;
  }
  if (op == Operator::no_op) {
    for (std::size_t i = 0; old != nullptr && i < count; ++i) {
      const Word found = AtomicRef<Word>(words[i]).load(std::memory_order_acquire);
      std::memcpy(old + i * sizeof(Word), &found, sizeof found);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Word former = update_word<Word>(op, combine, in + i * sizeof(Word), AtomicRef<Word>(words[i]));
    if (old != nullptr) std::memcpy(old + i * sizeof(Word), &former, sizeof former);
  }
}

/// Replaces a word by `swap` if it equals `compare`; `old` gets its former value.
template <class Word>
void swap_word(const std::byte* compare, const std::byte* swap, std::byte* target, std::byte* old) {
  Word expected = read_operand<Word>(compare);
  AtomicRef<Word>(*reinterpret_cast<Word*>(target)).compare_exchange_strong(expected, read_operand<Word>(swap));
  std::memcpy(old, &expected, sizeof expected);  // the former value, whether or not the exchange has replaced it
}

}  // namespace bowline::rma
