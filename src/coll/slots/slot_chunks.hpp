// SPDX-License-Identifier: BSD-3-Clause
// SlotChunks: how data go through slots: short data inline, in one cache line with the flag; longer data in rounds of
// one piece each, which use the parts of the slot in turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "coll/slots/slots.hpp"

namespace bowline::coll {

class SlotChunks {
 public:
  /// `bytes`: the data that each slot must carry, in all rounds together; `element`: a piece holds whole elements of
  /// this many bytes, at most longest_element.
  SlotChunks(const Slots& slots, std::size_t bytes, std::size_t element = 1) noexcept
      : slots_(slots), stride_(slots.slot_bytes() / parts) {
    if (is_inline(bytes)) {
      inline_ = true;
      piece_ = FlagLine::inline_bytes;
    } else {
      piece_ = stride_ / element * element;
      rounds_ = (bytes + piece_ - 1) / piece_;
    }
  }
  /// A part of the smallest slot is half a page.
  static constexpr std::size_t longest_element = 1024;

  /// Where the owner of the data writes the data.
  Writes writes() const noexcept { return inline_ ? Writes::inline_data : Writes::own_slot; }
  std::size_t piece() const noexcept { return piece_; }
  /// Number of rounds: at least one, so that members without data synchronize too.
  std::uint64_t rounds() const noexcept { return rounds_; }
  std::byte* at(int member, std::uint64_t round) const noexcept {
    return inline_ ? slots_.inline_data(member) : slots_.slot(member) + round % parts * stride_;
  }
  /// Where a member with `bytes` bytes writes, if the members' data differ in length.
  std::byte* at(int member, std::uint64_t round, std::size_t bytes) const noexcept {
    return is_inline(bytes) ? slots_.inline_data(member) : slots_.slot(member) + round % parts * stride_;
  }
  static Writes writes(std::size_t bytes) noexcept { return is_inline(bytes) ? Writes::inline_data : Writes::own_slot; }
  template <class Byte>
  std::span<Byte> of(std::span<Byte> data, std::uint64_t round) const noexcept {
    const std::size_t offset = std::min(data.size(), static_cast<std::size_t>(round) * piece_);
    return data.subspan(offset, std::min(piece_, data.size() - offset));
  }

 private:
  static bool is_inline(std::size_t bytes) noexcept { return bytes <= FlagLine::inline_bytes; }

  static constexpr std::uint64_t parts = 2;  ///< parts of a slot: one is read while the other is written

  const Slots& slots_;
  std::size_t stride_;
  std::size_t piece_ = 0;
  std::uint64_t rounds_ = 1;
  bool inline_ = false;
};

}  // namespace bowline::coll
