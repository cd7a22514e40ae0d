// SPDX-License-Identifier: BSD-3-Clause
#include "rma/paths/whole_words.hpp"

namespace bowline::rma::detail {
namespace {

template <class Word>
void move_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += sizeof(Word)) move_word<Word>(to + at, from + at);
}

}  // namespace

void move_short_block(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  const bool overlap = target - source < bytes;  // a copy in ascending order would read what it has written
  const std::size_t all = target | source | bytes;
  if (!overlap && all % sizeof(std::uint64_t) == 0) return move_words<std::uint64_t>(to, from, bytes);
  if (!overlap && all % sizeof(std::uint32_t) == 0) return move_words<std::uint32_t>(to, from, bytes);
  if (!overlap && all % sizeof(std::uint16_t) == 0) return move_words<std::uint16_t>(to, from, bytes);
  std::memmove(to, from, bytes);
}

}  // namespace bowline::rma::detail
