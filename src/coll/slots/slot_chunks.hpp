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

/// Into how many pieces data of medium length should be divided.
enum class Pieces {
  few,         ///< if each round is a wait of all members for all
  overlapping  ///< if one member reads a piece while another one writes the next
};

/// Of operations in which one member copies for each of the others: with more than two members, the copies of different
/// members overlap anyway.
inline Pieces pieces_with_root(int members) noexcept {
  return members == 2 ? Pieces::overlapping : Pieces::few;
}

class SlotChunks {
 public:
  /// `bytes`: the data that each slot must carry, in all rounds together; `element`: a piece holds whole elements of
  /// this many bytes, at most longest_element.
  SlotChunks(const Slots& slots, std::size_t bytes, std::size_t element = 1, Pieces pieces = Pieces::few) noexcept
      : slots_(slots), parts_(pieces == Pieces::few ? 2 : 4) {
    if (is_inline(bytes)) {
      inline_ = true;
      piece_ = FlagLine::inline_bytes;
      return;
    }
    stride_ = slots.slot_bytes() / parts_;
    if (pieces == Pieces::overlapping)
      stride_ = std::min(stride_, std::max(shortest_overlapping, (bytes / parts_ + line - 1) / line * line));
    piece_ = stride_ / element * element;
    rounds_ = (bytes + piece_ - 1) / piece_;
  }
  /// The smallest slot, a page, has four parts.
  static constexpr std::size_t longest_element = 1024;

  /// Where the owner of the data writes the data.
  Writes writes() const noexcept { return inline_ ? Writes::inline_data : Writes::own_slot; }
  std::size_t piece() const noexcept { return piece_; }
  /// Number of rounds: at least one, so that members without data synchronize too.
  std::uint64_t rounds() const noexcept { return rounds_; }
  /// The parts of the slot that rounds use in turn: the first round that overwrites an earlier one.
  std::uint64_t parts() const noexcept { return parts_; }
  std::byte* at(int member, std::uint64_t round) const noexcept {
    return inline_ ? slots_.inline_data(member) : slots_.slot(member) + round % parts_ * stride_;
  }
  /// Where a member with `bytes` bytes writes, if the members' data differ in length.
  std::byte* at(int member, std::uint64_t round, std::size_t bytes) const noexcept {
    return is_inline(bytes) ? slots_.inline_data(member) : slots_.slot(member) + round % parts_ * stride_;
  }
  static Writes writes(std::size_t bytes) noexcept { return is_inline(bytes) ? Writes::inline_data : Writes::own_slot; }
  template <class Byte>
  std::span<Byte> of(std::span<Byte> data, std::uint64_t round) const noexcept {
    const std::size_t offset = std::min(data.size(), static_cast<std::size_t>(round) * piece_);
    return data.subspan(offset, std::min(piece_, data.size() - offset));
  }

 private:
  static bool is_inline(std::size_t bytes) noexcept { return bytes <= FlagLine::inline_bytes; }

  static constexpr std::size_t line = 64;
  static constexpr std::size_t shortest_overlapping = 8 << 10;

  const Slots& slots_;
  std::uint64_t parts_;
  std::size_t stride_ = 0;
  std::size_t piece_ = 0;
  std::uint64_t rounds_ = 1;
  bool inline_ = false;
};

}  // namespace bowline::coll
