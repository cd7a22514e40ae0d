// SPDX-License-Identifier: BSD-3-Clause
// Moves short blocks of memory that other processes may read or write meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/atomic.hpp"

namespace bowline::rma {
namespace detail {

/// Longer blocks are memmove's alone. glibc's for x86 moves blocks of 8 bytes and more by words of at least 8 bytes.
#ifdef __x86_64__
inline constexpr std::size_t most_in_words = 8;
#else
inline constexpr std::size_t most_in_words = 64;
#endif

template <class Word>
void move_word(std::byte* to, const std::byte* from) noexcept {
  Word& source = *reinterpret_cast<Word*>(const_cast<std::byte*>(from));
  const Word word = AtomicRef<Word>(source).load(std::memory_order_relaxed);
  AtomicRef<Word>(*reinterpret_cast<Word*>(to)).store(word, std::memory_order_relaxed);
}

/// move_whole_words() for at most `most_in_words` bytes.
void move_short_block(std::byte* to, const std::byte* from, std::size_t bytes) noexcept;

}  // namespace detail

/// Moves the bytes so that other processes, which may read or write the same aligned words of 2, 4 or 8 bytes
/// meanwhile, never see half of one. memmove copies short blocks byte by byte where it uses 64-bit ARM's vectors of
/// variable length. Blocks that overlap are moved right, but words of them may be seen by halves.
inline void move_whole_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  const std::uintptr_t places = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  if (bytes == sizeof(std::uint64_t) && places % sizeof(std::uint64_t) == 0) {
    detail::move_word<std::uint64_t>(to, from);
  } else if (bytes <= detail::most_in_words) {
    detail::move_short_block(to, from, bytes);
  } else {
    std::memmove(to, from, bytes);
  }
}

}  // namespace bowline::rma
