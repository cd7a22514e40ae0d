// SPDX-License-Identifier: BSD-3-Clause
// Shares: how the blocks for all members go through one member's slot, side by side. Each block has a share of the
// slot. A short block fits into its share; a longer one goes in rounds of one piece, which use the halves of the share
// in turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>

#include "coll/slots/slots.hpp"

namespace bowline::coll {

class Shares {
 public:
  static constexpr std::size_t differ = std::numeric_limits<std::size_t>::max();
  /// With more members a piece would be shorter than longest_element, or too short to pay.
  static constexpr int most_members = 32;
  static constexpr std::size_t longest_element = 64;

  /// How blocks of different lengths go.
  enum class Differing : std::uint8_t {
    freely,
    headed,  ///< each share begins with a word that says how long its block is
    abreast  ///< each round carries equally much of every block that still has data
  };

  /// `block`: bytes of each block, or that they differ; `element`: a piece holds whole elements of this many bytes.
  Shares(const Slots& slots, int members, std::size_t block, std::size_t element,
         Differing differing = Differing::freely) noexcept
      : slots_(slots), headed_(block == differ && differing == Differing::headed) {
    const auto count = static_cast<std::size_t>(members);
    inline_ = block != differ && block * count <= FlagLine::inline_bytes;
    if (inline_) {
      stride_ = whole_ = block;
      return;
    }
    stride_ = slots.slot_bytes() / count / line * line;
    const std::size_t room = stride_ - (headed_ ? line : 0);
    half_ = room / 2 / alignment * alignment;
    piece_ = half_ / element * element;
    whole_ = block == differ && differing == Differing::abreast ? piece_ : room / element * element;
    if (block <= whole_) stride_ = (block + line - 1) / line * line;
  }

  /// Where the owner of the blocks writes the blocks.
  Writes writes() const noexcept { return inline_ ? Writes::inline_data : Writes::own_slot; }
  std::uint64_t rounds(std::size_t bytes) const noexcept { return bytes <= whole_ ? 1 : (bytes + piece_ - 1) / piece_; }
  /// The place in the slot of `owner` for the data of `member`, of a block of `bytes` bytes in all.
  std::byte* at(int owner, std::uint64_t round, int member, std::size_t bytes) const noexcept {
    return share(owner, member) + round % 2 * half_ + (!headed_ ? 0 : bytes > line - head ? line : head);
  }
  /// Beside a short block, in the same line.
  void tell_bytes(int owner, int member, std::size_t bytes) const noexcept {
    std::memcpy(share(owner, member), &bytes, head);
  }
  std::size_t bytes_told(int owner, int member) const noexcept {
    std::size_t bytes = 0;
    std::memcpy(&bytes, share(owner, member), head);
    return bytes;
  }
  template <class Byte>
  std::span<Byte> of(std::span<Byte> block, std::uint64_t round) const noexcept {
    if (block.size() <= whole_) return round == 0 ? block : block.last(0);
    const std::size_t offset = std::min(block.size(), static_cast<std::size_t>(round) * piece_);
    return block.subspan(offset, std::min(piece_, block.size() - offset));
  }

 private:
  static constexpr std::size_t line = 64;
  static constexpr std::size_t head = sizeof(std::size_t);
  static constexpr std::size_t alignment = 32;  ///< at least the alignment of any type's elements

  std::byte* share(int owner, int member) const noexcept {
    return (inline_ ? slots_.inline_data(owner) : slots_.slot(owner)) + static_cast<std::size_t>(member) * stride_;
  }

  const Slots& slots_;
  bool headed_;
  bool inline_ = false;
  std::size_t stride_ = 0;  ///< from share to share
  std::size_t half_ = 0;
  std::size_t piece_ = 0;  ///< length of a piece of a block that is longer than `whole_`
  std::size_t whole_ = 0;  ///< the longest block that goes in one round
};

}  // namespace bowline::coll
