// SPDX-License-Identifier: BSD-3-Clause
#include "rma/paths/typed_copy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "base/atomic.hpp"
#include "dtype/cursor.hpp"

namespace bowline::rma {
namespace {

constexpr std::size_t most_in_words = 64;

template <class Word>
void move_words(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  for (std::size_t at = 0; at < bytes; at += sizeof(Word)) {
    Word& source = *reinterpret_cast<Word*>(const_cast<std::byte*>(from + at));
    AtomicRef<Word>(*reinterpret_cast<Word*>(to + at))
        .store(AtomicRef<Word>(source).load(std::memory_order_relaxed), std::memory_order_relaxed);
  }
}

/// Other processes may read or write the same aligned words meanwhile, and must not see half of one. memmove copies
/// short blocks byte by byte where it uses 64-bit ARM's vectors of variable length.
void move_block(std::byte* to, const std::byte* from, std::size_t bytes) noexcept {
  if (bytes > most_in_words) return static_cast<void>(std::memmove(to, from, bytes));
  const std::uintptr_t places = reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from);
  switch (std::countr_zero(places | bytes | sizeof(std::uint64_t))) {
    case 3:
      return move_words<std::uint64_t>(to, from, bytes);
    case 2:
      return move_words<std::uint32_t>(to, from, bytes);
    case 1:
      return move_words<std::uint16_t>(to, from, bytes);
    default:
      std::memmove(to, from, bytes);
  }
}

}  // namespace

void copy_typed(const proto::Buffer& from, const proto::Buffer& to) {
  std::byte* const source = from.run();
  std::byte* const target = to.run();
  const std::size_t bytes = from.bytes();
  if (source != nullptr && target != nullptr) return move_block(target, source, bytes);
  if (target != nullptr) return dtype::pack(*from.type, from.count, from.base, target);
  if (source != nullptr) return dtype::unpack(*to.type, source, bytes, to.base);
  std::array<std::byte, 16 << 10> piece;
  dtype::Cursor reader(*from.type, from.count, from.base), writer(*to.type, to.count, to.base);
  while (reader.left() > 0) {
    const std::size_t packed = reader.pack(piece);
    writer.unpack({piece.data(), packed});
  }
}

}  // namespace bowline::rma
