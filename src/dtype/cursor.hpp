// SPDX-License-Identifier: BSD-3-Clause
// Cursor: a position in the byte stream of `count` elements of a datatype at an address. It packs, unpacks or lists the
// next bytes, as many at a time as the caller asks for. Moving it to any position takes time proportional to the depth
// of the layout. It allocates nothing.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <limits>
#include <span>

#include "dtype/datatype.hpp"
#include "dtype/layout.hpp"
#include "dtype/section.hpp"

namespace bowline::dtype {

class Cursor {
 public:
  /// No limit on the number of elements.
  static constexpr std::size_t unbounded = std::numeric_limits<std::size_t>::max();

  /// Only unpack() writes to the elements' memory.
  Cursor(const Datatype& type, std::size_t count, const void* base) noexcept;

  std::size_t position() const noexcept { return position_; }
  void seek(std::size_t position) noexcept { position_ = position; }
  /// Bytes from the position to the end.
  std::size_t left() const noexcept { return bytes_ - position_; }

  /// Copies the next bytes into `stream` and advances; fills `stream` unless the end is reached. Returns the number of
  /// bytes.
  std::size_t pack(std::span<std::byte> stream);
  /// Stores `stream` as the next bytes and advances; stores all of it unless the end is reached. Returns the number of
  /// bytes.
  std::size_t unpack(std::span<const std::byte> stream);
  /// Fills `pieces` with the places of the next bytes, merging adjacent ones, and advances. Returns the number of
  /// pieces.
  std::size_t next_iovec(std::span<iovec> pieces);

 private:
  /// Calls `use(section, offset, bytes)` for the runs of the bytes [position, end) in a section, as long as it returns
  /// true.
  template <class Use>
  void in_section(std::size_t end, Use use) const;

  const Layout* layout_;
  const Section* section_;  ///< nullptr: the elements lie in memory as their type says
  std::byte* base_;
  std::ptrdiff_t extent_;
  std::size_t count_;
  std::size_t bytes_;
  std::size_t position_ = 0;
};

}  // namespace bowline::dtype
