// SPDX-License-Identifier: BSD-3-Clause
#include "rma/paths/element_atomics.hpp"

#include <cstring>

#include "base/atomic.hpp"
#include "dtype/groups.hpp"
#include "dtype/native.hpp"

namespace bowline::rma {
namespace {

using dtype::Operator;

template <class Word>
Word read(const std::byte* from) noexcept {
  Word value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Accumulates one element and returns its former value.
template <class Word>
Word update(const dtype::Op& op, const dtype::Datatype& type, const std::byte* in, AtomicRef<Word> target) {
  switch (op.predefined_as()) {
    case Operator::replace:
      return target.exchange(read<Word>(in));
    case Operator::sum:  // also for signed numbers: signed and unsigned numbers wrap around alike
      return target.fetch_add(read<Word>(in));
    case Operator::band:
      return target.fetch_and(read<Word>(in));
    case Operator::bor:
      return target.fetch_or(read<Word>(in));
    case Operator::bxor:
      return target.fetch_xor(read<Word>(in));
    default: {
      const Word operand = read<Word>(in);
      Word old = target.load(std::memory_order_acquire), result = 0;
      do {
        result = old;
        op.apply(&operand, &result, 1, type);
      } while (!target.compare_exchange_weak(old, result));
      return old;
    }
  }
}

template <class Word>
void update_all(const dtype::Op& op, const dtype::Datatype& type, const std::byte* in, std::byte* target,
                std::byte* old, std::size_t count) {
  auto* const words = reinterpret_cast<Word*>(target);
  if (old == nullptr && op.predefined_as() == Operator::replace) {  // a store suffices
    for (std::size_t i = 0; i < count; ++i)
      AtomicRef<Word>(words[i]).store(read<Word>(in + i * sizeof(Word)), std::memory_order_release);
    return;
  }
  if (op.predefined_as() == Operator::no_op) {
    for (std::size_t i = 0; old != nullptr && i < count; ++i) {
      const Word found = AtomicRef<Word>(words[i]).load(std::memory_order_acquire);
      std::memcpy(old + i * sizeof(Word), &found, sizeof found);
    }
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Word former = update<Word>(op, type, in + i * sizeof(Word), AtomicRef<Word>(words[i]));
    if (old != nullptr) std::memcpy(old + i * sizeof(Word), &former, sizeof former);
  }
}

template <class Word>
void swap_one(const std::byte* compare, const std::byte* swap, std::byte* target, std::byte* old) noexcept {
  Word expected = read<Word>(compare);
  AtomicRef<Word>(*reinterpret_cast<Word*>(target)).compare_exchange_strong(expected, read<Word>(swap));
  std::memcpy(old, &expected, sizeof expected);  // the former value, whether or not the exchange has replaced it
}

}  // namespace

bool has_atomics(dtype::Element element, const void* address) noexcept {
  const dtype::Group group = dtype::group_of(element);
  const bool integer = group == dtype::Group::c_integer || group == dtype::Group::fortran_integer ||
                       group == dtype::Group::multi_language;
  if (!integer) return false;  // also for a datatype that is no element: a pair without a name
  const std::size_t size = dtype::native_size(element);
  return (size == 4 || size == 8) && reinterpret_cast<std::uintptr_t>(address) % size == 0;
}

void accumulate_atomically(const dtype::Op& op, const dtype::Datatype& type, const std::byte* in, std::byte* target,
                           std::byte* old, std::size_t count) {
  if (dtype::native_size(type.element()) == 4) {
    update_all<std::uint32_t>(op, type, in, target, old, count);
  } else {
    update_all<std::uint64_t>(op, type, in, target, old, count);
  }
}

void swap_atomically(dtype::Element element, const std::byte* compare, const std::byte* swap, std::byte* target,
                     std::byte* old) noexcept {
  if (dtype::native_size(element) == 4) {
    swap_one<std::uint32_t>(compare, swap, target, old);
  } else {
    swap_one<std::uint64_t>(compare, swap, target, old);
  }
}

}  // namespace bowline::rma
