// SPDX-License-Identifier: BSD-3-Clause
// Cursor: a position in the stream of bytes that `count` elements of a datatype at an address stand for. It packs from
// there, unpacks to there, or says where the bytes are, so many at a time as the caller likes; and may be set to any
// position in time proportional to the depth of the layout. Nothing is allocated.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <limits>
#include <span>

#include "dtype/datatype.hpp"
#include "dtype/layout.hpp"

namespace bowline::dtype {

class Cursor {
 public:
  /// So many elements as the caller will ask for.
  static constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

  /// The elements' memory is written by unpack only.
  Cursor(const Datatype& type, std::size_t count, const void* base) noexcept;

  std::size_t position() const noexcept { return position_; }
  void seek(std::size_t position) noexcept { position_ = position; }
  /// Bytes from the position to the end.
  std::size_t left() const noexcept { return bytes_ - position_; }

  /// Copies the next bytes into `stream`, and moves behind them; fewer only at the end. Returns how many.
  std::size_t pack(std::span<std::byte> stream);
  /// Stores `stream` as the next bytes, and moves behind them; fewer only at the end. Returns how many.
  std::size_t unpack(std::span<const std::byte> stream);
  /// Fills `pieces` with the places of the next bytes, neighbours as one, and moves behind them. Returns how many
  /// pieces.
  std::size_t next_iovec(std::span<iovec> pieces);

 private:
  const Layout* layout_;
  std::byte* base_;
  std::ptrdiff_t extent_;
  std::size_t count_;
  std::size_t bytes_;
  std::size_t position_ = 0;
};

}  // namespace bowline::dtype
