// SPDX-License-Identifier: BSD-3-Clause
// Pieces: how data go through slots: short data in a note, in one cache line with the flag; longer data in rounds of
// one piece each, which use the parts of the slot in turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "coll/slots/slots.hpp"

namespace bowline::coll {

class Pieces {
 public:
  /// `bytes`: the data that each slot must carry, in all rounds together; `element`: a piece holds whole elements of
  /// this many bytes, at most longest_element.
  Pieces(const Slots& slots, std::size_t bytes, std::size_t element = 1) noexcept
      : slots_(slots), stride_(slots.slot_bytes() / parts) {
    if (is_noted(bytes)) {
      noted_ = true;
      piece_ = FlagLine::note_bytes;
    } else {
      piece_ = stride_ / element * element;
      rounds_ = (bytes + piece_ - 1) / piece_;
    }
  }
  /// A part of the smallest slot is half a page.
  static constexpr std::size_t longest_element = 1024;

  /// Where the owner of the data writes them.
  Writes writes() const noexcept { return noted_ ? Writes::notes : Writes::own_slot; }
  std::size_t piece() const noexcept { return piece_; }
  /// At least one, so that members without data synchronize too.
  std::uint64_t rounds() const noexcept { return rounds_; }
  std::byte* at(int member, std::uint64_t round) const noexcept {
    return noted_ ? slots_.note(member) : slots_.slot(member) + round % parts * stride_;
  }
  /// The same if the members' data differ in length: the data of a member with `bytes` bytes.
  std::byte* at(int member, std::uint64_t round, std::size_t bytes) const noexcept {
    return is_noted(bytes) ? slots_.note(member) : slots_.slot(member) + round % parts * stride_;
  }
  static Writes writes(std::size_t bytes) noexcept { return is_noted(bytes) ? Writes::notes : Writes::own_slot; }
  template <class Byte>
  std::span<Byte> of(std::span<Byte> data, std::uint64_t round) const noexcept {
    const std::size_t offset = std::min(data.size(), static_cast<std::size_t>(round) * piece_);
    return data.subspan(offset, std::min(piece_, data.size() - offset));
  }

 private:
  static bool is_noted(std::size_t bytes) noexcept { return bytes <= FlagLine::note_bytes; }

  static constexpr std::uint64_t parts = 2;  ///< of a slot: one is read while the other is written

  const Slots& slots_;
  std::size_t stride_;
  std::size_t piece_ = 0;
  std::uint64_t rounds_ = 1;
  bool noted_ = false;
};

}  // namespace bowline::coll
