// SPDX-License-Identifier: BSD-3-Clause
// Moves short blocks of memory that other processes may read or write meanwhile.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/atomic.hpp"

namespace bowline::rma {

/// Longer blocks are memmove's alone.
inline constexpr std::size_t most_in_words = 64;

namespace detail {

template <class Word>
void move_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += sizeof(Word)) {
    Word& source = *reinterpret_cast<Word*>(const_cast<std::byte*>(from + at));
    AtomicRef<Word>(*reinterpret_cast<Word*>(to + at))
        .store(AtomicRef<Word>(source).load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
}

}  // namespace detail

/// Moves the bytes so that other processes, which may read or write the same aligned words of 2, 4 or 8 bytes
/// meanwhile, never see half of one. memmove copies short blocks byte by byte where it uses 64-bit ARM's vectors of
/// variable length. Blocks that overlap are memmove's: an operation whose buffers overlap is wrong, but does not spoil
/// more.
inline void move_whole_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  const std::size_t distance = reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  if (bytes <= most_in_words && distance >= bytes) {
    const std::uintptr_t places = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
    switch (std::countr_zero(places | bytes | sizeof(std::uint64_t))) {
      case 3:
        return detail::move_words<std::uint64_t>(to, from, bytes);
      case 2:
        return detail::move_words<std::uint32_t>(to, from, bytes);
      case 1:
        return detail::move_words<std::uint16_t>(to, from, bytes);
      default:
        break;
    }
  }
  std::memmove(to, from, bytes);
}

}  // namespace bowline::rma
