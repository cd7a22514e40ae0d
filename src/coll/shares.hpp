// SPDX-License-Identifier: BSD-3-Clause
// Shares: how blocks for every member go through each member's slot, side by side, in rounds of one piece of each
// block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "coll/slots.hpp"

namespace bowline::coll {

class Shares {
 public:
  static constexpr std::size_t differ = std::numeric_limits<std::size_t>::max();
  /// With more members a piece would be too short for one element of longest_element, or for its worth.
  static constexpr int most_members = 32;
  static constexpr std::size_t longest_element = 64;

  /// `block`: bytes of each block, or that they differ; `element`: what a piece holds whole ones of; `head`: room in
  /// front of each piece, which only blocks that differ have.
  Shares(const Slots& slots, int members, std::size_t block, std::size_t element, std::size_t head = 0) noexcept
      : slots_(slots), half_(slots.slot_bytes() / 2), head_(head) {
    const auto count = static_cast<std::size_t>(members);
    noted_ = block != differ && block * count <= FlagLine::note_bytes;
    const std::size_t share = half_ / count / alignment * alignment;
    stride_ = noted_ ? block : std::min(share, block > share ? share : (block + alignment - 1) / alignment * alignment);
    piece_ = noted_ ? std::max<std::size_t>(block, 1) : (share - head_) / element * element;
  }

  std::uint64_t rounds(std::size_t bytes) const noexcept { return (bytes + piece_ - 1) / piece_; }
  /// In the slot of `owner` what is for `member`.
  std::byte* at(int owner, std::uint64_t round, int member) const noexcept {
    std::byte* const begin = noted_ ? slots_.note(owner) : slots_.slot(owner) + round % 2 * half_;
    return begin + static_cast<std::size_t>(member) * stride_ + head_;
  }
  std::byte* head(int owner, std::uint64_t round, int member) const noexcept {
    return at(owner, round, member) - head_;
  }
  template <class Byte>
  std::span<Byte> of(std::span<Byte> block, std::uint64_t round) const noexcept {
    const std::size_t offset = std::min(block.size(), static_cast<std::size_t>(round) * piece_);
    return block.subspan(offset, std::min(piece_, block.size() - offset));
  }

 private:
  static constexpr std::size_t alignment = 64;

  const Slots& slots_;
  std::size_t half_;
  std::size_t head_;
  std::size_t stride_ = 0;
  std::size_t piece_ = 0;
  bool noted_ = false;
};

}  // namespace bowline::coll
